"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
function answerQuestions(where) {
    try {
        if (!require("node:worker_threads").isMainThread)
            return;
        const net = require("node:net");
        const { performance } = require("node:perf_hooks");
        const end = where.lastIndexOf(" ");
        // An environment variable cannot hold the zero byte with which the names of abstract sockets begin.
        const socket = net.connect({ path: where.slice(0, end).replace(/^@/, "\0") });
        socket.on("error", () => { });
        socket.on("data", (questions) => {
            const { idle, active } = performance.eventLoopUtilization();
            socket.write(`${idle} ${active}\n`.repeat(questions.length));
        });
        socket.write(`${where.slice(end + 1)} ${process.pid}\n`);
        socket.unref();
    }
    catch {
        // Then nothing is known of this process.
    }
}
const where = process.env["LBBENCH_PROBE"];
// Not an immediate: one that is unreferenced waits for the next event, which a server that waits for its first request has not.
if (where !== undefined)
    setTimeout(answerQuestions, 1, where).unref();
