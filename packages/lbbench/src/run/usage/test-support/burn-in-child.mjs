// Passes what it is asked on to a child of its own, which it starts when it is first asked. Asked to end, it has that child
// end and says when it has.
import { fork } from "node:child_process";

let child;
process.on("message", (wanted) => {
  if (wanted === "end") {
    child.once("exit", () => process.send("ended"));
    child.disconnect();
    return;
  }
  child ??= fork(new URL("./burn.mjs", import.meta.url)).on("message", (usedMs) => process.send(usedMs));
  child.send(wanted);
});
process.on("disconnect", () => child?.connected && child.disconnect());
