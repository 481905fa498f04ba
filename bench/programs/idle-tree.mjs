/** Starts so many idle Node processes as its argument says, run with `fork`; tells its own pid, and ends with its parent, as they end with it. */
import { fork } from "node:child_process";

const children = Array.from({ length: Number(process.argv[2] ?? 0) }, () => fork(process.argv[1]));
process.on("disconnect", () => {
  for (const child of children) child.disconnect();
});
process.send(process.pid);
