// Keeps a core busy until its parent is gone, and never longer than a minute.
process.send("busy");
const end = performance.now() + 60_000;
const turn = () => {
  const pause = performance.now() + 20;
  while (performance.now() < pause);
  if (performance.now() < end && process.connected) setImmediate(turn);
};
turn();
