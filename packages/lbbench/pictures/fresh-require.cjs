// Stands for a file of chartjs-node-canvas, which asks by it for `canvas` and for nothing else that is used here.
const { findCanvas } = require("./find-canvas.cjs");

exports.freshRequire = findCanvas;
