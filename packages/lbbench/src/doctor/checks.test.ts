import { judgeReadings } from "./checks.js";
import type { Check, CheckStatus, Readings } from "./diagnosis.js";
import { renderDiagnosis } from "./render-diagnosis.js";
import { aCalibration, someReadings } from "./test-support/sample-readings.js";
import { describe, expect, it } from "vitest";

function check(id: string, overrides: Partial<Readings> = {}): Check {
  const found = judgeReadings(someReadings(overrides)).checks.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no check "${id}"`);
  return found;
}

const { cores: CORES, network: NETWORK, workers: WORKERS } = someReadings();
const network = (overrides: Partial<Readings["network"]>) => ({ network: { ...NETWORK, ...overrides } });
const NO_WORKERS = { packageProblem: "Workers need a package: npm install x", locust: null };
const NOT_ASKED_FOR = { workers: { ...WORKERS, ...NO_WORKERS } };
const askedFor = (overrides: Partial<Readings["workers"]>) => ({ workers: { ...WORKERS, ...overrides, asked: true } });
const withLocust = (locust: string) => askedFor({ locust });
const gen1 = (told: { readonly version: string; readonly isSame: boolean } | { readonly problem: string }) =>
  askedFor({ hosts: [{ host: "gen1", ...told }] });
const OF_GENERATOR = { calibration: aCalibration() };
const OF_SERVER = { calibration: aCalibration({ generatorCpu: 0.9, generatorLoop: 0.9, serverCpu: 0.99 }) };
const OF_NEITHER = { calibration: aCalibration({ generatorCpu: 0.5, generatorLoop: 0.5, serverCpu: 0.4 }) };

/** What is read, the status that follows, and what the check says of it. */
type Case = readonly [id: string, status: CheckStatus, says: RegExp, readings: Partial<Readings>];

describe("judgeReadings", () => {
  it("finds a machine fit with which nothing is wrong", () => {
    const { status, checks } = judgeReadings(someReadings(OF_GENERATOR));
    expect(checks.filter((one) => one.status !== "ok")).toEqual([]);
    expect(status).toBe("ok");
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });

  it.each<Case>([
    ["node", "ok", /v20\.19\.0/, { nodeVersion: "v20.19.0" }],
    ["node", "problem", /Node\.js 20\.19 or later/, { nodeVersion: "v20.18.3" }],
    ["png", "warning", /npm install chart\.js/, { pngProblem: "PNG charts need `npm install chart.js`" }],
    ["cores", "ok", /^4 \(Sample CPU\)$/, { cores: { ...CORES, present: 4, allowed: 4 } }],
    ["cores", "warning", /share the cores/, { cores: { ...CORES, present: 2, allowed: 2 } }],
    ["cores", "problem", /on one core/, { cores: { ...CORES, present: 1, allowed: 1 } }],
    ["cores", "warning", /^2 of 8 may be used, limited by its affinity/, { cores: { ...CORES, allowed: 2 } }],
    ["cores", "warning", /^2\.5 of 8 may be used, limited by its control group/, { cores: { ...CORES, quota: 2.5 } }],
    ["cores", "problem", /^0\.5 of 8/, { cores: { ...CORES, quota: 0.5 } }],
    ["load", "ok", /2\.00/, { loadAverage: 2 }],
    ["load", "warning", /Something else is running/, { loadAverage: 2.01 }],
    ["steal", "ok", /1\.0 %/, { steal: 0.01 }],
    ["steal", "warning", /1\.1 % .*hypervisor/, { steal: 0.011 }],
    ["steal", "ok", /unknown/, { steal: null }],
    ["cpu-frequency", "warning", /powersave.*cpupower/s, { governor: "powersave" }],
    ["cpu-frequency", "ok", /unknown/, { governor: null }],
    ["memory", "warning", /swaps/, { memory: { totalBytes: 2e9, availableBytes: 5e8 } }],
    ["clock", "ok", /40 ns/, {}],
    ["clock", "warning", /100 µs/, { clockStepMs: 0.1 }],
    ["timers", "ok", /5\.0 ms/, { timerDelay: { p50Ms: 0.1, p99Ms: 5 } }],
    ["timers", "warning", /wait for a core/, { timerDelay: { p50Ms: 0.1, p99Ms: 5.1 } }],
    ["open-files", "ok", /4,096/, { descriptors: { soft: 4096, hard: 4096 } }],
    ["open-files", "ok", /no limit/, { descriptors: { soft: null, hard: null } }],
    ["open-files", "ok", /unknown/, { descriptors: null }],
    ["open-files", "warning", /512 connections.*\nulimit -n 65536/, { descriptors: { soft: 1024, hard: 1024 } }],
    ["open-files", "problem", /128 connections/, { descriptors: { soft: 256, hard: 256 } }],
    ["ports", "ok", /10,000/, network({ ephemeralPorts: 10_000 })],
    ["ports", "warning", /ip_local_port_range="1024 65535"/, network({ ephemeralPorts: 9999 })],
    ["ports", "problem", /1,999/, network({ ephemeralPorts: 1999 })],
    ["ports", "ok", /unknown/, network({ ephemeralPorts: null })],
    ["time-wait", "ok", /1 s on the loopback, else 60 s \(tcp_tw_reuse=2\)/, {}],
    ["time-wait", "ok", /rests for 60 s \(tcp_tw_reuse=0\)/, network({ tcpTwReuse: 0 })],
    ["time-wait", "warning", /Wait a minute/, { sockets: { inUse: 0, timeWait: 14_117 } }],
    ["time-wait", "ok", /unknown/, { sockets: null }],
    ["backlog", "warning", /128.*\nsudo sysctl -w net\.core\.somaxconn=4096/s, network({ somaxconn: 128 })],
    ["backlog", "ok", /unknown/, network({ somaxconn: null })],
    ["tool-ab", "ok", /^2\.3$/, { tools: [{ name: "ab", version: "2.3" }] }],
    ["tool-ab", "warning", /not found.*apt install apache2-utils/s, { tools: [{ name: "ab", version: null }] }],
    ["workers", "ok", /^@lbbench\/worker and Locust 2\.43\.3 are here$/, {}],
    ["workers", "ok", /^not needed on one machine; .*: @lbbench\/worker, Locust \(by python3\)$/, NOT_ASKED_FOR],
    ["workers", "problem", /npm install @lbbench\/worker\npipx install locust$/, askedFor(NO_WORKERS)],
    ["workers", "problem", /2\.15 to 2\.x \(this is 2\.14\.2\).*\npipx install --force locust$/s, withLocust("2.14.2")],
    ["workers", "problem", /this is 3\.0\.0/, withLocust("3.0.0")],
    ["worker-gen1", "ok", /^lbbench 1\.2\.3$/, gen1({ version: "1.2.3", isSame: true })],
    ["worker-gen1", "problem", /same version/, gen1({ version: "1.2.2", isSame: false })],
    ["worker-gen1", "problem", /ssh-copy-id/, gen1({ problem: "ssh-copy-id gen1" })],
    ["calibration", "ok", /54,000 requests\/s .*limited by the generator, .* --engine wire /, OF_GENERATOR],
    ["calibration", "ok", /the server was the limit/, OF_SERVER],
    ["calibration", "warning", /neither generator nor server .*again/, OF_NEITHER],
    ["calibration", "problem", /7 requests/, { calibration: aCalibration({ failed: 7 }) }],
    ["calibration", "problem", /no way/, { calibration: { failure: "no way" } }],
  ])("%s: %s, saying %s", (id, status, says, readings) => {
    const { found, remedy, ...rest } = check(id, readings);
    expect(rest.status, found).toBe(status);
    expect([found, ...(remedy === undefined ? [] : [remedy])].join(" ")).toMatch(says);
    expect(remedy === undefined).toBe(status === "ok");
  });

  it("is as bad as the worst of its checks, and says nothing of a calibration that was left out", () => {
    const slow = { nodeVersion: "v18.0.0" };
    expect(judgeReadings(someReadings({ steal: 0.5 })).status).toBe("warning");
    expect(judgeReadings(someReadings({ steal: 0.5, ...slow })).status).toBe("problem");
    expect(judgeReadings(someReadings()).checks.map(({ id }) => id)).not.toContain("calibration");
  });
});

const BAD = judgeReadings(someReadings({ nodeVersion: "v18.0.0", ...network({ ephemeralPorts: 100 }) }));

describe("renderDiagnosis", () => {
  it("says in one line what a check found, and below it what to do", () => {
    expect(renderDiagnosis({ ...BAD, checks: BAD.checks.filter(({ id }) => id === "node" || id === "memory") })).toBe(
      [
        "problem  Node.js        v18.0.0",
        "                        → Install Node.js 20.19 or later.",
        "ok       Memory         12.0 GiB available of 16.0 GiB",
        "",
        "1 problem: solve the problems before you measure.",
        "",
      ].join("\n"),
    );
  });

  it("calls no machine fit of which it was not told all", () => {
    const diagnosis = judgeReadings(someReadings({ governor: null }));
    const checks = diagnosis.checks.filter(({ status }) => status === "ok");
    const text = renderDiagnosis({ ...diagnosis, checks });
    expect(text).toMatch(/CPU frequency +unknown/);
    expect(text).toMatch(/\n\nNothing was found that keeps this machine from measuring\.\n$/);
  });

  it.each([undefined, 66, 100, 20, 300])("wraps sentences for a terminal of %s columns, but no command", (columns) => {
    const width = Math.min(100, Math.max(66, columns ?? 80));
    const text = renderDiagnosis(BAD, columns);
    expect(text.split("\n").filter((line) => line.length > width)).toEqual([]);
    expect(text).toContain('\n         sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"\n');
  });

  it("paints the status and nothing else", () => {
    const painted = renderDiagnosis(BAD, 80, (text, status) => `<${status}>${text}</>`);
    expect(painted).toContain("<problem>problem  </>Node.js");
    expect(painted.replaceAll(/<[/\w]*>/g, "")).toBe(renderDiagnosis(BAD));
  });
});
