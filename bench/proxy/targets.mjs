import { OTHER_NODE_PROXIES } from "./contender-list.mjs";
import { bestOf, ratioOf } from "./summary.mjs";

const RATE = "requestsPerSecond";

/** What is to be reached; `bestNode` stands for the proxy for Node, other than ours, that is best at that figure. */
const TARGETS = [
  { part: "small", of: "lbbench-undici", to: "http-proxy", field: RATE, atLeast: 1.8 },
  { part: "small", of: "lbbench-undici", to: "nginx", field: RATE, atLeast: 0.55 },
  { part: "small", of: "lbbench-undici", to: "bestNode", field: RATE, atLeast: 1 },
  { part: "small", of: "lbbench-http-proxy", to: "http-proxy", field: RATE, atLeast: 0.95 },
  { part: "small", of: "lbbench-tcp", to: "haproxy-tcp", field: RATE, atLeast: 0.8 },
  { part: "100k", of: "lbbench-undici", to: "bestNode", field: RATE, atLeast: 0.9 },
  { part: "pacedHalf", of: "lbbench-undici", to: "bestNode", field: "p99", atMost: 1 },
  { part: "pacedCommon", of: "lbbench-undici", to: "bestNode", field: "p99", atMost: 1 },
];

function reached({ atLeast, atMost }, ratio) {
  return atLeast === undefined ? ratio.median <= atMost : ratio.median >= atLeast;
}

/**
 * Holds what was measured against the targets. `parts` maps the name of a part to its rounds. A target of which a side
 * was not measured is left out.
 */
export function judgeTargets(parts) {
  return TARGETS.flatMap((target) => {
    const rounds = parts[target.part] ?? [];
    const lowest = target.atMost !== undefined;
    const to = target.to === "bestNode" ? bestOf(rounds, OTHER_NODE_PROXIES, target.field, { lowest }) : target.to;
    const ratio = to === undefined ? undefined : ratioOf(rounds, target.of, to, target.field);
    if (ratio === undefined) return [];
    return [{ ...target, to, best: target.to === "bestNode", ratio, reached: reached(target, ratio) }];
  });
}
