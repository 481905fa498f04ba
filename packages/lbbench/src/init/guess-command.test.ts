import { expect, it } from "vitest";
import { guessCommand } from "./guess-command.js";
import { aFolder } from "./test-support/fixtures.js";

it.each([
  [
    "the script start, where it needs no shell",
    { scripts: { start: "node --enable-source-maps app.js" } },
    [],
    "node --enable-source-maps app.js",
  ],
  ["npm, where it needs one", { scripts: { start: "tsc && node app.js" } }, [], "npm start"],
  ["npm, for a program of node_modules", { scripts: { start: "next start" } }, [], "npm start"],
  ["npm, for an environment", { scripts: { start: "PORT=1 node app.js" } }, [], "npm start"],
  ["npm, for a variable", { scripts: { start: "node app.js $PORT" } }, [], "npm start"],
  ["npm, for names of files", { scripts: { start: "node app.js *.html" } }, [], "npm start"],
  [
    "the script start, for what quotes keep from a shell",
    { scripts: { start: "node -e 'run(`$x`)'" } },
    [],
    "node -e 'run(`$x`)'",
  ],
  ["main, where it is there", { main: "./start.js" }, ["start.js", "server.js"], "node start.js"],
  ["a usual name, where main is not there", { main: "dist/start.js" }, ["index.js", "server.js"], "node server.js"],
  ["nothing, where nothing tells", { scripts: { test: "x" } }, ["readme.js"], undefined],
  ["nothing, where a manifest is odd", { main: 5, scripts: ["x"] }, [], undefined],
])("guesses %s", (_, manifest, names, expected) => {
  expect(guessCommand(aFolder(names, manifest))).toBe(expected);
});

it("guesses without a package.json by the names of files", () => {
  expect(guessCommand(aFolder(["app.js"]))).toBe("node app.js");
});
