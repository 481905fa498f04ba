const path = require("node:path");
const { ChartJSNodeCanvas } = require("chartjs-node-canvas");
const { findCanvas } = require("./find-canvas.cjs");

exports.ChartJSNodeCanvas = ChartJSNodeCanvas;
exports.findCanvas = findCanvas;
exports.FONTS = [
  { path: path.join(__dirname, "Inter_400Regular.ttf"), weight: "normal" },
  { path: path.join(__dirname, "Inter_700Bold.ttf"), weight: "bold" },
];
