/**
 * Preloaded into the Node processes of a server, by NODE_OPTIONS. It opens one connection to the sampler, and whenever a
 * byte comes over it, says how long the event loop of this process has waited and worked.
 *
 * The program must not notice: nothing here keeps the process alive, nothing is printed, and whatever fails is let be.
 * It is CommonJS so that any release of Node can preload it, and loads what it needs after the program's first turn.
 */
import type netModule = require("node:net");
import type hooksModule = require("node:perf_hooks");
import type threadsModule = require("node:worker_threads");

function answerQuestions(where: string): void {
  try {
    if (!(require("node:worker_threads") as typeof threadsModule).isMainThread) return;
    const net = require("node:net") as typeof netModule;
    const { performance } = require("node:perf_hooks") as typeof hooksModule;
    const [port, token] = where.split(" ");
    const socket = net.connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", (questions) => {
      const { idle, active } = performance.eventLoopUtilization();
      socket.write(`${idle} ${active}\n`.repeat(questions.length));
    });
    socket.write(`${token} ${process.pid}\n`);
    socket.unref();
  } catch {
    // Then nothing is known of this process.
  }
}

const where = process.env["LBBENCH_PROBE"];
// Not an immediate: one that is unreferenced waits for the next event, which a server that waits for its first request has not.
if (where !== undefined) setTimeout(answerQuestions, 1, where).unref();
