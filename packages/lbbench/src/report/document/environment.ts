import type { Environment } from "../../model/result.js";
import { formatCount } from "../format-number.js";
import type { Facts } from "./block.js";
import { paragraph } from "./blocks.js";
import type { Section } from "./section.js";

const GIBIBYTE = 1024 ** 3;

/** The machine that the run was made on. */
export const environment: Section = (result) => ({
  id: "environment",
  title: "Environment",
  blocks: [
    result.environment === null
      ? paragraph("Not told: the result was imported, and says nothing of the machine it was measured on.")
      : { kind: "facts", head: "Machine", facts: describeMachine(result.environment) },
  ],
});

function describeMachine(machine: Environment): Facts["facts"] {
  const { fdLimit, portRange } = machine;
  return [
    ["CPU", machine.cpuModel],
    ["Cores", formatCount(machine.cores)],
    ["Memory", `${(machine.memoryBytes / GIBIBYTE).toFixed(1)} GiB`],
    ["System", `${machine.os} ${machine.kernel}`],
    ["Node.js", machine.node],
    ["File descriptors per process", fdLimit === null ? "unknown" : formatCount(fdLimit)],
    ["Ports for connections", portRange === null ? "unknown" : portRange.join(" to ")],
    ["Load average before the run", machine.loadAverage.toFixed(2)],
  ];
}
