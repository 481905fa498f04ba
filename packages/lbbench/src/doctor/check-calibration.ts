import type { Check } from "./diagnosis.js";
import type { Calibration, Readings } from "./readings.js";

/** A process of one thread this busy has no more to give. */
const SATURATION = 0.9;

/** What the load generator can do at most; nothing when it was not measured. */
export function checkCalibration({ calibration }: Pick<Readings, "calibration">): readonly Check[] {
  if (calibration === undefined) return [];
  const base = { id: "calibration", title: "Generator" };
  if ("failure" in calibration) {
    return [
      {
        ...base,
        status: "problem",
        found: `no load could be generated: ${calibration.failure}`,
        remedy: "Without this lbbench measures nothing here. Is 127.0.0.1 up, and may processes be started?",
      },
    ];
  }
  if (calibration.failed > 0) {
    return [
      {
        ...base,
        status: "problem",
        found: `${calibration.failed} requests to a server of our own failed`,
        remedy:
          "Something between two processes of this machine fails; see open files and local ports above, and whether 127.0.0.1 is up.",
      },
    ];
  }
  return [{ ...base, ...describe(calibration) }];
}

function describe(calibration: Calibration): Pick<Check, "status" | "found" | "remedy"> {
  const { requestsPerSecond, connections, p99Ms, generatorCpu, generatorLoop, serverCpu } = calibration;
  const rate = roughly(requestsPerSecond);
  const p99 = p99Ms === null ? "" : `, p99 ${p99Ms.toFixed(1)} ms`;
  const cores = `generator ${percent(generatorCpu)}, server ${percent(serverCpu)} of a core`;
  const measured = `${rate} requests/s from a server that does next to nothing (${connections} connections${p99}; ${cores}).`;
  if (Math.max(generatorCpu, generatorLoop) >= SATURATION && generatorCpu >= serverCpu) {
    return {
      status: "ok",
      found: `${measured} Throughputs near ${rate} requests/s on this machine are limited by the generator.`,
    };
  }
  const limit =
    serverCpu >= SATURATION
      ? "the server was the limit, so the generator can do more"
      : "neither generator nor server was busy all the time, so the cores were";
  return {
    status: serverCpu >= SATURATION ? "ok" : "warning",
    found: `${measured} Here ${limit}. Throughputs near ${rate} requests/s on this machine may still be limited by the generator.`,
    ...(serverCpu >= SATURATION
      ? {}
      : { remedy: "Close other programs and run lbbench doctor again, to learn what the generator can do." }),
  };
}

function roughly(rate: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rate))) - 1);
  return (Math.round(rate / step) * step).toLocaleString("en-US");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
