import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";

const types = {
  counter:
    "backend_requests backend_errors backend_aborted backend_retries backend_answers backend_grpc_answers backend_handshakes backend_ejections refused shortages client_handshakes uncounted_workers uncounted_seconds",
  gauge: "backend_in_flight backend_queued backend_weight backend_up backend_condition client_connections",
  histogram: "backend_latency_seconds",
};
const samples = `lbbench_balancer_backend_requests_total{backend="a"} 12
lbbench_balancer_backend_errors_total{backend="a"} 2
lbbench_balancer_backend_aborted_total{backend="a"} 1
lbbench_balancer_backend_retries_total{backend="a"} 4
lbbench_balancer_backend_answers_total{backend="a",class="1xx"} 1
lbbench_balancer_backend_answers_total{backend="a",class="2xx"} 2
lbbench_balancer_backend_answers_total{backend="a",class="3xx"} 1
lbbench_balancer_backend_answers_total{backend="a",class="4xx"} 1
lbbench_balancer_backend_answers_total{backend="a",class="5xx"} 1
lbbench_balancer_backend_grpc_answers_total{backend="a",status="OK"} 2
lbbench_balancer_backend_grpc_answers_total{backend="a",status="UNAVAILABLE"} 1
lbbench_balancer_backend_handshakes_total{backend="a",kind="full"} 1
lbbench_balancer_backend_handshakes_total{backend="a",kind="resumed"} 5
lbbench_balancer_backend_in_flight{backend="a"} 3
lbbench_balancer_backend_queued{backend="a"} 1
lbbench_balancer_backend_weight{backend="a"} 2.5
lbbench_balancer_backend_up{backend="a"} 1
lbbench_balancer_backend_condition{backend="a",condition="up"} 1
lbbench_balancer_backend_condition{backend="a",condition="slow-start"} 0
lbbench_balancer_backend_condition{backend="a",condition="ejected"} 0
lbbench_balancer_backend_condition{backend="a",condition="unhealthy"} 0
lbbench_balancer_backend_condition{backend="a",condition="draining"} 0
lbbench_balancer_backend_ejections_total{backend="a",reason="failures"} 2
lbbench_balancer_backend_ejections_total{backend="a",reason="errors"} 1
lbbench_balancer_backend_ejections_total{backend="a",reason="latency"} 3
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="0.0005"} 1
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="0.1"} 3
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="1.0"} 3
lbbench_balancer_backend_latency_seconds_bucket{backend="a",le="+Inf"} 6
lbbench_balancer_backend_latency_seconds_sum{backend="a"} 7.25
lbbench_balancer_backend_latency_seconds_count{backend="a"} 6
lbbench_balancer_refused_total{status="400"} 1
lbbench_balancer_refused_total{status="503"} 6
lbbench_balancer_shortages_total{code="EMFILE"} 2
lbbench_balancer_client_connections 5
lbbench_balancer_client_handshakes_total{kind="full"} 4
lbbench_balancer_client_handshakes_total{kind="resumed"} 9
lbbench_balancer_client_handshakes_total{kind="failed"} 3
lbbench_balancer_uncounted_workers_total 2
lbbench_balancer_uncounted_seconds_total 0.143
# EOF
`;

describe("renderOpenMetrics", () => {
  it("writes every value of a snapshot, behind the help and the type of its family", async () => {
    const text = await renderOpenMetrics(exampleSnapshot({ uncounted: { workers: 2, ms: 143 } }));
    expect(text.replaceAll(/^# (?:HELP|TYPE) .*\n/gm, "")).toBe(samples);
    const told = [...text.matchAll(/^# HELP (\w+) .+\n# TYPE \1 (\w+)\n\1/gm)];
    for (const [type, names] of Object.entries(types)) {
      const ofType = told.filter(([, , one]) => one === type).map(([, name]) => name?.replace("lbbench_balancer_", ""));
      expect(ofType).toEqual(names.split(" "));
    }
  });

  it("says that nothing is uncounted where nothing is said of it", async () => {
    const text = await renderOpenMetrics(exampleSnapshot());
    expect(text).toMatch(/uncounted_workers_total 0\n[^]*uncounted_seconds_total 0\n/);
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
