#!/usr/bin/env node
import { main } from "../dist/cli/main.js";

const exitCode = await main(process.argv.slice(2));
// A timer of a plugin may end the process while a slow reader is waited for, but not change what came out.
process.on("exit", () => {
  process.exitCode = exitCode;
});
// What was loaded for the command may hold timers or sockets, and is not waited for; what was printed is.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise((resolve) => stream.write("", resolve));
}
process.exit(exitCode);
