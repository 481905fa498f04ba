import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";

const wholeText = `# HELP lbbench_balancer_backend_requests Requests handed to the backend.
# TYPE lbbench_balancer_backend_requests counter
lbbench_balancer_backend_requests_total{backend="a"} 12
# HELP lbbench_balancer_backend_errors Requests that ended in no complete answer of the backend.
# TYPE lbbench_balancer_backend_errors counter
lbbench_balancer_backend_errors_total{backend="a"} 2
# HELP lbbench_balancer_backend_aborted Requests whose client went away before the answer was complete.
# TYPE lbbench_balancer_backend_aborted counter
lbbench_balancer_backend_aborted_total{backend="a"} 1
# HELP lbbench_balancer_backend_retries Requests that another backend had failed before.
# TYPE lbbench_balancer_backend_retries counter
lbbench_balancer_backend_retries_total{backend="a"} 4
# HELP lbbench_balancer_backend_answers Complete answers of the backend by class of status.
# TYPE lbbench_balancer_backend_answers counter
lbbench_balancer_backend_answers_total{backend="a",class="1xx"} 1
lbbench_balancer_backend_answers_total{backend="a",class="2xx"} 2
lbbench_balancer_backend_answers_total{backend="a",class="3xx"} 1
lbbench_balancer_backend_answers_total{backend="a",class="4xx"} 1
lbbench_balancer_backend_answers_total{backend="a",class="5xx"} 1
# HELP lbbench_balancer_backend_in_flight Requests of the backend that have not ended yet.
# TYPE lbbench_balancer_backend_in_flight gauge
lbbench_balancer_backend_in_flight{backend="a"} 3
# HELP lbbench_balancer_backend_queued Requests in flight that wait for a connection.
# TYPE lbbench_balancer_backend_queued gauge
lbbench_balancer_backend_queued{backend="a"} 1
# HELP lbbench_balancer_backend_weight Weight as it was given, without slow start.
# TYPE lbbench_balancer_backend_weight gauge
lbbench_balancer_backend_weight{backend="a"} 2.5
# HELP lbbench_balancer_backend_up 1 if the backend is given requests, else 0.
# TYPE lbbench_balancer_backend_up gauge
lbbench_balancer_backend_up{backend="a"} 1
# HELP lbbench_balancer_backend_condition 1 for the condition that the backend is in, 0 for the others.
# TYPE lbbench_balancer_backend_condition gauge
lbbench_balancer_backend_condition{backend="a",condition="up"} 1
lbbench_balancer_backend_condition{backend="a",condition="slow-start"} 0
lbbench_balancer_backend_condition{backend="a",condition="ejected"} 0
lbbench_balancer_backend_condition{backend="a",condition="unhealthy"} 0
lbbench_balancer_backend_condition{backend="a",condition="draining"} 0
# HELP lbbench_balancer_backend_latency_seconds Time from a request handed to the backend to the last byte of its complete answer.
# TYPE lbbench_balancer_backend_latency_seconds histogram
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="0.0005"} 1
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="0.1"} 3
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="1.0"} 3
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="+Inf"} 6
lbbench_balancer_backend_latency_seconds_sum{backend="a"} 7.25
lbbench_balancer_backend_latency_seconds_count{backend="a"} 6
# HELP lbbench_balancer_refused Requests that no backend was given, by status of the answer.
# TYPE lbbench_balancer_refused counter
lbbench_balancer_refused_total{status="400"} 1
lbbench_balancer_refused_total{status="503"} 6
# HELP lbbench_balancer_client_connections Connections of clients that are open.
# TYPE lbbench_balancer_client_connections gauge
lbbench_balancer_client_connections 5
# EOF
`;

describe("renderOpenMetrics", () => {
  it("writes every value of a snapshot", async () => {
    expect(await renderOpenMetrics(exampleSnapshot())).toBe(wholeText);
  });

  it("has the media type that prom-client gives such texts", () => {
    expect(OPEN_METRICS_CONTENT_TYPE).toBe(Registry.OPENMETRICS_CONTENT_TYPE);
  });

  it.each([
    ["quotes, backslashes and line breaks", 'a"b\\c\n', 'a\\"b\\\\c\\n'],
    ["what would end the label and forge a sample", 'a"} 1\nforged{x="', 'a\\"} 1\\nforged{x=\\"'],
    ["names of properties of objects", "__proto__", "__proto__"],
  ])("escapes %s in a backend's name, in every kind of metric", async (_, name, escaped) => {
    const backends = [exampleBackend({ name, condition: "ejected" })];
    const text = await renderOpenMetrics(exampleSnapshot({ backends }));
    for (const [metric, rest] of [
      ["up", "} 0"],
      ["condition", ',condition="up"} 0'],
      ["condition", ',condition="ejected"} 1'],
      ["requests_total", "} 12"],
      ["weight", "} 2.5"],
      ["latency_seconds_bucket", ',le="+Inf"} 6'],
    ]) {
      expect(text.split("\n")).toContain(`lbbench_balancer_backend_${metric}{backend="${escaped}"${rest}`);
    }
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => !/^(# (HELP|TYPE) )?lbbench_balancer_|^# EOF$/.test(line))).toEqual([]);
  });
});
