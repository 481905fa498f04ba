const FLAGS = new Map([
  ["name", "--name"],
  ["reference", "--reference"],
  ["connections", "-c, --connections"],
  ["requests", "-n, --requests"],
  ["duration", "-d, --duration"],
  ["trials", "--trials"],
  ["warmup", "--warmup"],
  ["timeout", "--timeout"],
  ["keepAlive", "--no-keepalive"],
  ["engine", "--engine"],
  ["generators", "--generators"],
  ["request.method", "-m, --method"],
  ["request.headers", "-H, --header"],
  ["request.body", "-b, --body"],
  ["request.expectStatus", "--expect-status"],
  ["request.expectBody", "--expect-body"],
  ["thresholds", "--threshold"],
  ["out", "-o, --out"],
  ["formats", "-f, --format"],
]);

/** The flag that a setting was given with: `-m, --method` for `request.method`. */
export function nameFlag(path: readonly PropertyKey[]): string {
  const [first = "", second = ""] = path.map(String);
  return FLAGS.get(first) ?? FLAGS.get(`${first}.${second}`) ?? "command line";
}
