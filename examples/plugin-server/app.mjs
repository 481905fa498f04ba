/** The program to measure: whatever yours is. It says where it listens, and ends with whoever started it. */
import { createServer } from "node:http";

const delayMs = Number(process.argv[2]);
const server = createServer((_, response) => setTimeout(() => response.end("hello\n"), delayMs));

server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
// Ctrl-C in a terminal reaches every process; what it means is for lbbench to say.
process.on("SIGINT", () => {});
