// The canvas that draws: the one that comes with lbbench, or else node-canvas, where somebody has installed it.
const NAMES = ["@napi-rs/canvas", "canvas"];

/** Throws why the first of them that is there does not load, or that the first is not there. */
exports.findCanvas = () => {
  const problems = [];
  for (const name of NAMES) {
    try {
      return require(name);
    } catch (problem) {
      problems.push(problem);
    }
  }
  throw problems.find(({ code }) => code !== "MODULE_NOT_FOUND") ?? problems[0];
};
