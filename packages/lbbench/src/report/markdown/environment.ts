import type { Environment } from "../../model/result.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { formatCount } from "../format-number.js";
import type { Section } from "./section.js";
import { renderTable } from "./table.js";

const GIBIBYTE = 1024 ** 3;

type Fact = readonly [name: string, value: string];

/** The machine that the run was made on. */
export const environment: Section = (result) => [
  "## Environment",
  renderTable(
    [
      { head: "Machine", align: "left", cell: ([name]: Fact) => name },
      { head: "", align: "left", cell: ([, value]: Fact) => escapeMarkdown(value) },
    ],
    describeMachine(result.environment),
  ),
];

function describeMachine(machine: Environment): readonly Fact[] {
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
