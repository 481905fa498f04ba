// Passes what it is asked on to a child of its own, which it starts when it is first asked.
import { fork } from "node:child_process";

let child;
process.on("message", (wantedMs) => {
  child ??= fork(new URL("./burn.mjs", import.meta.url)).on("message", (usedMs) => process.send(usedMs));
  child.send(wantedMs);
});
process.on("disconnect", () => child?.disconnect());
