// Starts as many idle Node processes as its argument says, tells their pids, and ends with its parent, as they end with it.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const [, own, count = "0"] = process.argv;
const children = Array.from({ length: Number(count) }, () => fork(own ?? fileURLToPath(import.meta.url)));
process.on("disconnect", () => {
  for (const child of children) child.disconnect();
});
process.send(children.map(({ pid }) => pid));
