/** What is changed in a run of ab; the rest stays. */
export interface AbChange {
  readonly connections?: number;
  readonly complete?: number;
  readonly seconds?: number;
}

/** Makes another run of a kept one of ab, whose rates agree with what is changed, as ab works them out. */
export function changeAb(text: string, change: AbChange): string {
  const told = (label: string): number => Number(new RegExp(`^${label}: +([\\d.]+)`, "m").exec(text)?.[1]);
  const connections = change.connections ?? told("Concurrency Level");
  const complete = change.complete ?? told("Complete requests");
  const seconds = change.seconds ?? told("Complete requests") / told("Requests per second");
  const perRequestMs = (seconds * 1000) / complete;
  const line = (label: string, figure: string): [RegExp, string] => [
    new RegExp(`^${label}: .*$`, "m"),
    `${`${label}:`.padEnd(24)}${figure}`,
  ];
  return [
    line("Concurrency Level", String(connections)),
    line("Time taken for tests", `${seconds.toFixed(3)} seconds`),
    line("Complete requests", String(complete)),
    line("Requests per second", `${(complete / seconds).toFixed(2)} [#/sec] (mean)`),
    line("Transfer rate", `${(told("Total transferred") / 1024 / seconds).toFixed(2)} [Kbytes/sec] received`),
  ]
    .reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text)
    .replace(/^(Time per request: +)[\d.]+( \[ms\] \(mean\))$/m, `$1${(perRequestMs * connections).toFixed(3)}$2`)
    .replace(/^(Time per request: +)[\d.]+( \[ms\] \(mean, across.*)$/m, `$1${perRequestMs.toFixed(3)}$2`);
}
