// Waits so many milliseconds without using its processor, and without letting its event loop run.
process.on("message", (blockedMs) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs);
  process.send(0);
});
