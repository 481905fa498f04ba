/** A neighbour that takes half a core, run with `fork`: it is busy for a second, then idle for a second. Ends with its channel. */
const BURST_MS = 1000;

function burn() {
  const endMs = performance.now() + BURST_MS;
  while (performance.now() < endMs);
  setTimeout(burn, BURST_MS);
}

process.on("disconnect", () => process.exit());
process.send("ready");
burn();
