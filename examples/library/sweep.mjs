import { describeFinding, sweep } from "lbbench";

const { result } = await sweep({
  targets: ["single", { name: "two workers", server: "cluster", options: { workers: 2 } }],
  connections: [1, 10],
  requests: 2000,
  thresholds: ["errors<1%"],
});
for (const { target, level, measurement } of result.steps) {
  console.log(target, level.connections, measurement?.throughput, measurement?.latency?.p99);
}
console.log(result.verdict.status);
for (const finding of result.verdict.findings) console.log(describeFinding(finding).text);
