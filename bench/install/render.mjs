const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
const round = (seconds) => String(Math.round(seconds));

/** The block of the README beside this file. */
export function renderInstallBench({ runs, tarballs, variants, machine }) {
  const rows = variants.map(
    ({ name, packages, bytes, seconds: { median, low, high } }) =>
      `| ${name} | ${packages} | ${megabytes(bytes)} | ${round(median)} (${round(low)} to ${round(high)}) |`,
  );
  const sizes = tarballs.map(({ name, bytes }) => `${name} ${Math.round(bytes / 1000)} kB`).join(", ");
  return `
On ${machine.cores} cores of ${machine.cpu}, ${machine.platform}, Node ${machine.node}, npm ${machine.npm}; median of ${runs} (lowest to highest):

| parts | packages | MB on disk | seconds |
| :--- | ---: | ---: | ---: |
${rows.join("\n")}

What is published: ${sizes}.

`;
}

/** What the README at the top says of it. */
export function renderInstallSentence({ variants: [all, sparing], machine }) {
  const { packages, bytes, seconds } = all;
  return `
\`npm install lbbench\` brings ${packages} packages, ${megabytes(bytes)} MB, in ${round(seconds.low)} to ${round(seconds.high)} s with an empty npm cache on ${machine.cores} cores;
without what draws pictures (\`--omit=optional\`) it is ${megabytes(sparing.bytes)} MB. Nothing is compiled, and nothing comes from outside the npm registry.
[How that was measured](bench/install).

`;
}
