import { describe, expect, it } from "vitest";
import { checkBackendCount, checkCommand, checkUrl, guessCommand } from "./answers.js";
import { aFolder } from "./test-support/fixtures.js";

describe("an answer", () => {
  it.each<[(answer: string) => string | undefined, readonly string[]]>([
    [
      checkCommand,
      [
        "node server.js",
        'node -e "a && b; c | d"',
        "node -e 'a(`$b`)'",
        'node server.js --only "*.html?"',
        "python3 app.py --port {port}",
      ],
    ],
    [checkUrl, ["http://127.0.0.1:3000/", "https://example.com", "grpc://127.0.0.1:9000", "ws://127.0.0.1:9000/chat"]],
    [checkBackendCount, ["1", "4", "100"]],
  ])("is accepted by %o: %j", (check, answers) => {
    for (const answer of answers) expect(check(answer), answer).toBeUndefined();
  });

  it.each([
    ["", 'such as "node server.js", got ""'],
    ["tsc && node app.js", '"&&"'],
    ["node app.js | tee log", '"|"'],
    ["node app.js > log", '">"'],
    ["node a.js; node b.js", '"a.js;"'],
    ["PORT=1 node app.js", "option env"],
    ["node server.js $(touch x)", '"$(touch"'],
    ["node server.js `whoami`", '"`whoami`"'],
    ["node server.js public/*.html", '"public/*.html"'],
    ["node a.js\nnode b.js", "only a shell"],
  ])("that is the command %j is refused, because it needs a shell", (command, part) => {
    expect(checkCommand(command)).toContain(part);
  });

  it.each<[(answer: string) => string | undefined, string, readonly string[]]>([
    [checkUrl, "expected a URL", ["", "127.0.0.1:3000", "ftp://a/", "http://", "http:///x", "http://a b/"]],
    [checkBackendCount, "from 1 to 100", ["", "0", "101", "4.5", "four", "-1"]],
  ])("is refused by %o, which says %s: %j", (check, message, answers) => {
    for (const answer of answers) expect(check(answer), answer).toContain(message);
  });
});

it.each<[string, object | undefined, readonly string[], string | undefined]>([
  ["the script start", { scripts: { start: "node --trace app.js" } }, [], "node --trace app.js"],
  ["npm, where that needs a shell", { scripts: { start: "tsc && node app.js" } }, [], "npm start"],
  ["npm, for a program of node_modules", { scripts: { start: "next start" } }, [], "npm start"],
  ["main, where it is there", { main: "./start.js" }, ["start.js", "server.js"], "node start.js"],
  ["a usual name, where main is not there", { main: "dist/x.js" }, ["index.js", "server.js"], "node server.js"],
  ["a usual name, without a package.json", undefined, ["app.js"], "node app.js"],
  ["nothing, where nothing tells", { scripts: { test: "x" } }, ["readme.js"], undefined],
  ["nothing, where a manifest is odd", { main: 5, scripts: ["x"] }, [], undefined],
])("the command of a project is guessed: %s", (_, manifest, names, expected) => {
  expect(guessCommand(aFolder(names, manifest))).toBe(expected);
});
