const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
const times = ({ median, least, most }) => `${median} (${least} to ${most})`;

/** The block of the README beside this file. */
export function renderInstallBench({ runs, tarballs, variants, machine }) {
  const rows = variants.map(
    ({ name, packages, bytes, coldSeconds, warmSeconds }) =>
      `| ${name} | ${packages} | ${megabytes(bytes)} | ${times(coldSeconds)} | ${times(warmSeconds)} |`,
  );
  const sizes = tarballs.map(({ name, bytes }) => `${name} ${Math.round(bytes / 1000)} kB`).join(", ");
  return `
On ${machine.cores} cores of ${machine.cpu}, ${machine.platform}, Node ${machine.node}, npm ${machine.npm}; median of ${runs} (least to most):

| parts | packages | MB on disk | seconds, empty cache | seconds, filled cache |
| :--- | ---: | ---: | ---: | ---: |
${rows.join("\n")}

What is published: ${sizes}.

`;
}

/** What the README at the top says of it. */
export function renderInstallSentence({ variants: [all, sparing], machine }) {
  const { packages, bytes, coldSeconds, warmSeconds } = all;
  const isOneTime = coldSeconds.most >= warmSeconds.least && warmSeconds.most >= coldSeconds.least;
  const least = Math.round(Math.min(coldSeconds.least, warmSeconds.least));
  const most = Math.round(Math.max(coldSeconds.most, warmSeconds.most));
  const time = isOneTime
    ? `${least} to ${most} s with an empty npm cache as with a filled one`
    : `${coldSeconds.median} s with an empty npm cache and ${warmSeconds.median} s with a filled one`;
  return `
\`npm install lbbench\` brings ${packages} packages, ${megabytes(bytes)} MB, in ${time}, on ${machine.cores} cores;
without what draws pictures (\`--omit=optional\`) it is ${megabytes(sparing.bytes)} MB. Nothing is compiled, and nothing comes from outside the npm registry.
[How that was measured](bench/install).

`;
}
