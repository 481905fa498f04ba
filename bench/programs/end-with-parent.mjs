/** Imported before a program that was started with `fork`: the program is asked to end when its parent has ended, also by SIGKILL. */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel.unref();
// What the program forks has a parent of its own.
process.execArgv = [];
