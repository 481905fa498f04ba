import { ENGINE_FLAGS } from "../config/engine-flags.js";

const FLAGS: ReadonlyMap<string, string> = new Map([
  ["name", "--name"],
  ["reference", "--reference"],
  ["margin", "--margin"],
  ["connections", "-c, --connections"],
  ["rate", "-r, --rate"],
  ["arrival.spacing", "--poisson"],
  ["arrival.maxInFlight", "--max-in-flight"],
  ["requests", "-n, --requests"],
  ["duration", "-d, --duration"],
  ["trials", "--trials"],
  ["warmup", "--warmup"],
  ["restart", "--restart"],
  ["timeout", "--timeout"],
  ["keepAlive", "--no-keepalive"],
  ["httpVersion", "--http2"],
  ["engine", "--engine"],
  ["generators", "--generators"],
  ["request.method", "-m, --method"],
  ["request.headers", "-H, --header"],
  ["request.body", "-b, --body or --body-file"],
  ["request.bodyEncoding", "-b, --body or --body-file"],
  ["request.expectStatus", "--expect-status"],
  ["request.expectBody", "--expect-body"],
  ["mix", "--mix"],
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
  ["ramp.from", "--from"],
  ["ramp.to", "--to"],
  ["ramp.over", "--over"],
  ["ramp.steps", "--steps"],
  ["ramp.hold", "--hold"],
  ["out", "-o, --out"],
  ["formats", "-f, --format"],
  ["charts", "--charts"],
  ...[...ENGINE_FLAGS].map(([option, flag]): [string, string] => [`engines.${option}`, flag]),
]);

const LONGEST_PATH = 3;

/** The flag that a setting was given with: `-m, --method` for `request.method`. */
export function nameFlag(path: readonly PropertyKey[]): string {
  const places = Array.from({ length: LONGEST_PATH }, (_, index) =>
    path
      .slice(0, index + 1)
      .map(String)
      .join("."),
  );
  return places.map((place) => FLAGS.get(place)).find((flag) => flag !== undefined) ?? "command line";
}
