/** The names of the formats that a report can have, as help lists them; a test compares them with the reporters. */
export const FORMAT_NAMES: readonly string[] = [
  "md",
  "html",
  "png",
  "json",
  "csv",
  "ab",
  "junit",
  "openmetrics",
  "github-action-benchmark",
  "bencher",
];
