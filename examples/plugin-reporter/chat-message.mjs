import { describeFinding } from "lbbench";

/**
 * A reporter: makes a message for a chat of a result, `chat-message.json`, to be posted by a webhook.
 *
 * @type {import("lbbench/plugin").Reporter}
 */
const reporter = {
  format: "chat-message",
  render: (result) => {
    const lines = [
      `${result.scenario.name}: ${result.verdict.status}`,
      ...result.scenario.targets.map(({ name }) => describeBest(name, result)),
      ...result.verdict.findings
        .filter(({ severity }) => severity !== "info")
        .map((finding) => `${finding.severity}: ${describeFinding(finding).text}`),
    ];
    return [{ name: "chat-message.json", content: `${JSON.stringify({ text: lines.join("\n") })}\n` }];
  },
};

export default reporter;

/**
 * Its step of the highest throughput, in a line.
 *
 * @param {string} target
 * @param {import("lbbench/plugin").Result} result
 */
function describeBest(target, { steps }) {
  const measured = steps.flatMap((step) => (step.target === target && step.measurement ? [step.measurement] : []));
  const [best] = measured.toSorted((one, other) => other.throughput - one.throughput);
  if (best === undefined) return `${target}: not measured`;
  const p99 = best.latency?.p99 === undefined ? "" : `, p99 ${best.latency.p99.toFixed(1)} ms`;
  return `${target}: up to ${Math.round(best.throughput)} requests/s${p99}`;
}
