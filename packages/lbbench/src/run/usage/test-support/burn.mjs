// Burns so many milliseconds of its own processor time when asked, and tells how many they were.
process.on("message", (wantedMs) => {
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < wantedMs) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1000;
  }
  process.send(usedMs);
});
