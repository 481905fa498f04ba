import { describe, expect, it } from "vitest";
import { quoteLines, renderTemplate } from "./templates.js";

const VIEW = { port: 8080, user: null, keepAlive: 0, method: "hash $http_a", backends: [{ name: "a<b", weight: 1 }] };

describe("renderTemplate", () => {
  it.each([
    ["values as they are", "listen {{port}} {{method}}; {{&port}}", "listen 8080 hash $http_a; 8080"],
    ["lists, with the names around them", "{{#backends}}{{name}} {{weight}} {{port}};{{/backends}}", "a<b 1 8080;"],
    ["sections of values that are none not at all", "{{#user}}u{{/user}}{{#keepAlive}}k{{/keepAlive}}.", "."],
    ["the opposite of such a section", "{{^user}}no user{{/user}}", "no user"],
    ["no line for a tag alone in its line", "a\n{{#method}}\nb {{method}}\n{{/method}}\n", "a\nb hash $http_a\n"],
    ["comments not at all, and single braces as they are", "{{! why }}log-format %{+Q}o {x}", "log-format %{+Q}o {x}"],
  ])("renders %s", (_what, template, rendered) => {
    expect(renderTemplate(template, VIEW)).toBe(rendered);
  });

  it.each([
    ["a name that there is not", "{{prot}}", /expected one of port, .*, got "prot"/],
    ["a section that there is not", "{{#backend}}{{/backend}}", /got "backend"/],
    ["a name of every object", "{{constructor}}", /got "constructor"/],
    ["a name of a list outside it", "{{weight}}", /got "weight"/],
    ["a name in a list that there is not", "{{#backends}}{{wait}}{{/backends}}", /name, weight, got "wait"/],
    ["another file", "{{> other}}", /one file/],
    ["a section that does not end", "{{#backends}}", /Unclosed section "backends"/],
  ])("refuses %s", (_what, template, message) => {
    expect(() => renderTemplate(template, VIEW)).toThrow(message);
  });
});

it("quoteLines quotes each line that is named, once, and says nothing of others", () => {
  const output = ["[emerg] unknown directive in /tmp/x/nginx.conf:2", "again nginx.conf:2", "nginx.conf:99", "else"];
  expect(quoteLines("a;\n  b;\nc;", "nginx.conf", output)).toBe("Line 2 of nginx.conf is: b;");
  expect(quoteLines("a", "nginx.conf", ["nothing"])).toBe("");
});
