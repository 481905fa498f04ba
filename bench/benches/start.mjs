import { inTurn, LBBENCH, runNode, timeOf } from "../rounds.mjs";

const COMMANDS = new Map([
  ["--help", [LBBENCH, "--help"]],
  ["--version", [LBBENCH, "--version"]],
  ["sweep --help", [LBBENCH, "sweep", "--help"]],
]);
const timeOfNode = (args) => () => timeOf(() => runNode(args));

/** How long a command takes that only tells something, beside Node that does nothing. */
export const bench = {
  name: "start",
  rounds: 20,
  async open() {
    const works = { node: timeOfNode(["-e", "0"]) };
    for (const [name, args] of COMMANDS) works[name] = timeOfNode(args);
    await inTurn(0, works);
    return { round: (index) => inTurn(index, works), close() {} };
  },
  rows: [...COMMANDS.keys()].map((name) => ({
    title: `time of \`lbbench ${name}\` / of \`node -e 0\``,
    atMost: 2,
    value: (times) => times[name] / times.node,
  })),
};
