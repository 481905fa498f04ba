// Has a new child of its own burn what it is asked, and tells how much it was when that child has ended.
import { fork } from "node:child_process";
import { once } from "node:events";

process.on("message", (wantedMs) => void burn(wantedMs));

async function burn(wantedMs) {
  const child = fork(new URL("./burn.mjs", import.meta.url));
  child.send(wantedMs);
  const [usedMs] = await once(child, "message");
  child.disconnect();
  await once(child, "exit");
  process.send(usedMs);
}
