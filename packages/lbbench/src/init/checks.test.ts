import { expect, it } from "vitest";
import { actionReference } from "./action-reference.js";
import { checkBackendCount } from "./check-backend-count.js";
import { checkCommand } from "./check-command.js";
import { checkUrl } from "./check-url.js";

it.each([
  "node server.js",
  'node -e "a && b; c | d"',
  "node -e 'a(`$b`)'",
  'node server.js --only "*.html?"',
  "go run server.go",
  "python3 app.py --port {port}",
])("accepts the command %s", (command) => {
  expect(checkCommand(command)).toBeUndefined();
});

it.each([
  ["", "expected a program"],
  ["tsc && node app.js", '"&&"'],
  ["node app.js | tee log", '"|"'],
  ["node app.js > log", '">"'],
  ["node app.js 2>&1", '"2>&1"'],
  ["node a.js; node b.js", '"a.js;"'],
  ["PORT=1 node app.js", "option env"],
  ["node server.js $(touch x)", '"$(touch"'],
  ["node server.js --port=$PORT", '"--port=$PORT"'],
  ['node server.js "$PORT"', '"$PORT'],
  ["node server.js `whoami`", '"`whoami`"'],
  ["node server.js public/*.html", '"public/*.html"'],
  ["node a.js\nnode b.js", "only a shell"],
])("refuses the command %j, which needs a shell", (command, part) => {
  expect(checkCommand(command)).toContain(part);
});

it.each(["http://127.0.0.1:3000/", "https://example.com", "grpc://127.0.0.1:9000"])("accepts the URL %s", (url) => {
  expect(checkUrl(url)).toBeUndefined();
});

it.each(["", "127.0.0.1:3000", "ftp://a/", "http://", "http:///x", "http://a b/"])("refuses the URL %j", (url) => {
  expect(checkUrl(url)).toContain("expected a URL");
});

it.each(["1", "4", "100"])("accepts %s backends", (count) => {
  expect(checkBackendCount(count)).toBeUndefined();
});

it.each(["", "0", "101", "4.5", "four", "-1"])("refuses %j backends", (count) => {
  expect(checkBackendCount(count)).toContain("from 1 to 100");
});

it.each([
  [{ version: "0.1.0" }, "OWNER/lbbench@v0.1"],
  [{ version: "0.12.3", repository: "github:acme/lbbench" }, "acme/lbbench@v0.12"],
  [{ version: "2.3.4", repository: { url: "git+https://github.com/acme/bench.git" } }, "acme/bench@v2"],
  [{ version: "2.0.0-rc.1", repository: { url: "git@github.com:acme/lbbench.git" } }, "acme/lbbench@v2.0.0-rc.1"],
  [{ version: "1.0.0", repository: "github:acme/lbbench" }, "acme/lbbench@v1"],
  [{ version: "1.0.0", repository: "https://gitlab.com/acme/lbbench" }, "OWNER/lbbench@v1"],
])("names the Action of %j", (origin, expected) => {
  expect(actionReference(origin)).toBe(expected);
});
