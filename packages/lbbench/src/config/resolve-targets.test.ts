import { describe, expect, it } from "vitest";
import { builtInServers } from "../servers/built-in-servers.js";
import { resolveTargets } from "./resolve-targets.js";
import { listWords } from "./suggest.js";
import { startableServers } from "./unknown-target.js";

const resolve = (...given: Parameters<typeof resolveTargets>[0]) => resolveTargets(given, builtInServers);

describe("resolveTargets", () => {
  it("takes the name of a server, with its default options", () => {
    expect(resolve("single")).toEqual([{ name: "single", server: "single", options: { handler: "hello", port: 0 } }]);
  });

  it.each([
    ["http://127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080/"],
    ["HTTP://Example.org/", "example.org", "http://example.org/"],
    ["https://example.org/a?b=c", "example.org/a?b=c", "https://example.org/a?b=c"],
    ["http://[::1]:80/x", "[::1]/x", "http://[::1]/x"],
  ])("names the target of the URL %s by its host and path", (text, name, url) => {
    expect(resolve(text)).toEqual([{ name, server: "url", options: { url } }]);
  });

  it("keeps what a target is compared with, one or several", () => {
    const resolved = resolve(
      "single",
      { name: "a", server: "single", reference: "single" },
      { name: "b", server: "single", reference: ["single", "a", "a"] },
    );
    expect(resolved.map(({ references }) => references)).toEqual([undefined, ["single"], ["single", "a"]]);
  });

  it.each(["b", "other"])("refuses a target that is compared with %s, itself or none that is there", (reference) => {
    expect(() => resolve("single", { name: "b", server: "single", reference })).toThrow(
      `b: reference: expected the name of another target, single, got "${reference}"`,
    );
  });

  it("takes a server with its options", () => {
    const options = { backends: 2, handler: "cpu:1ms" };
    expect(resolve({ name: "mine", server: "balanced", options })).toMatchObject([
      {
        name: "mine",
        server: "balanced",
        options: {
          backends: [{ name: null, server: "single", options: { handler: "cpu:1ms", port: 0 }, count: 2, weight: 1 }],
          policy: "round-robin",
          port: 0,
        },
      },
    ]);
  });

  it.each(["fo!", "htp://x", "", "url", "command", "constructor", "file:///etc/passwd"])("refuses %j", (text) => {
    const startable = startableServers(builtInServers);
    expect(startable).toEqual(expect.arrayContaining(["single", "balanced"]));
    expect(() => resolve(text)).toThrow(
      `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(startable)}) or a name from the config file, got "${text}".`,
    );
  });

  it("suggests a scheme for an address, and a server for a word that is nearly one", () => {
    expect(() => resolve("localhost:80/x")).toThrow('Did you mean "http://localhost:80/x"?');
    expect(() => resolve("blanced")).toThrow('Did you mean "balanced"?');
  });

  it("refuses a URL that cannot be one", () => {
    expect(() => resolve("http://a b/")).toThrow('Expected a URL such as http://127.0.0.1:8080/, got "http://a b/"');
  });

  it("names the target whose server is unknown", () => {
    expect(() => resolve("single", { name: "a", server: "clutser" })).toThrow(
      `targets[1].server: expected ${listWords(builtInServers.keys())}, got "clutser". Did you mean "cluster"?`,
    );
  });

  it("names the target and the option that is wrong", () => {
    const options = { backends: 0, polciy: "round-robin" };
    expect(() => resolve({ name: "a", server: "balanced", options })).toThrow(
      'targets[0] ("a"): options.backends: expected a number of at least 1, got 0\n' +
        'targets[0] ("a"): options: there is no setting "polciy". Did you mean "policy"?',
    );
  });

  it("refuses two targets of one name", () => {
    expect(() => resolve("http://a/", "http://a")).toThrow(
      'targets: expected a different name for each, got "a" twice.',
    );
  });
});
