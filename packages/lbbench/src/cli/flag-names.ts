const FLAGS = new Map([
  ["name", "--name"],
  ["reference", "--reference"],
  ["connections", "-c, --connections"],
  ["rate", "-r, --rate"],
  ["arrival.maxInFlight", "--max-in-flight"],
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
  ["stopOn", "--stop-on"],
  ["order", "--order"],
  ["seed", "--seed"],
  ["search.by", "--by"],
  ["search.start", "--start"],
  ["search.most", "--most"],
  ["search.resolution", "--resolution"],
  ["search.needed", "--needed"],
  ["search.beyond", "--beyond"],
  ["out", "-o, --out"],
  ["formats", "-f, --format"],
]);

/** The flag that a setting was given with: `-m, --method` for `request.method`. */
export function nameFlag(path: readonly PropertyKey[]): string {
  const [first = "", second = ""] = path.map(String);
  return FLAGS.get(first) ?? FLAGS.get(`${first}.${second}`) ?? "command line";
}
