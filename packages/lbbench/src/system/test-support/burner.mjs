// Told a number, it burns so many milliseconds of processor time and tells how many they were: itself, or in a child where it has an argument.
import { fork } from "node:child_process";
import { once } from "node:events";

const [, own, inChild] = process.argv;
const child = inChild === undefined ? undefined : fork(own);
process.on("message", (wanted) => void act(wanted).then((answer) => process.send(answer)));
process.on("disconnect", () => process.exit());

async function act(wanted) {
  if (child === undefined) return burn(wanted);
  child.send(wanted);
  return (await once(child, "message"))[0];
}

function burn(wantedMs) {
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < wantedMs) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1000;
  }
  return usedMs;
}
