import { describe, expect, it } from "vitest";
import { aResult, aScenario } from "../test-support/fixtures.js";
import type { Result } from "../model/result.js";
import { hideSecrets, secretsOf } from "./hide-secrets.js";
import { renderHtml } from "./html/render-html.js";
import { renderMarkdown } from "./markdown.js";
import { renderSummary } from "./summary-table.js";
import { aSweep } from "./test-support/sample-results.js";

describe("hideSecrets", () => {
  it.each([
    ["https://ann:pa55word@host.test/a", "https://ann:***@host.test/a", "pa55word"],
    ["https://ghp_abcd@host.test/", "https://***@host.test/", "ghp_abcd"],
    ["https://ann:p@ss:w@host.test/", "https://ann:***@host.test/", "p@ss:w"],
    ["/a?id=1&access_token=abcd&n=2#x", "/a?id=1&access_token=***&n=2#x", "abcd"],
    ["API_KEY=abcd node server.js", "API_KEY=*** node server.js", "abcd"],
    ["x-api-key: a b", "x-api-key: (hidden)", "a b"],
    ["npx lbbench sweep -H 'x-token: a'\\''b' u", "npx lbbench sweep -H 'x-token: (hidden)' u", "a'\\''b"],
    ["npx lbbench sweep --header=x-token:abcd u", "npx lbbench sweep --header=x-token:(hidden) u", "abcd"],
    ['ab -H "Cookie: abcd" u', 'ab -H "Cookie: (hidden)" u', "abcd"],
  ])("hides what is secret in %s", (text, shown, secret) => {
    expect(hideSecrets({ text })).toEqual({ text: shown });
    expect(secretsOf([text])).toContain(secret);
  });

  it("hides values of headers and options by their names, at any depth", () => {
    const data = { headers: [["Proxy-Authorization", "Basic abcd"]], options: { tls: { key: "abcd", cert: "c" } } };
    expect(hideSecrets(data)).toEqual({
      headers: [["Proxy-Authorization", "(hidden)"]],
      options: { tls: { key: "(hidden)", cert: "c" } },
    });
    expect(secretsOf(data)).toEqual(["Basic abcd", "abcd"]);
  });

  it("leaves everything else as it is", () => {
    const result = aSweep({ trials: 2 });
    expect(hideSecrets(result)).toBe(result);
    const text = "http://127.0.0.1:8080/@x?monkey_business=1, a:b@c, keys: 3";
    expect(hideSecrets(text)).toBe(text);
  });
});

describe("what people read", () => {
  const { scenario } = aResult();
  const headers = [
    ["Authorization", "Bearer s3cr3t-a"],
    ["x-api-key", "s3cr3t-b"],
    ["accept", "text/html"],
  ] as const;
  const request = { ...aScenario().request, headers, path: "/items?token=s3cr3t-c" };
  const url = "http://ann:s3cr3t-d@127.0.0.1:1/?api_key=s3cr3t-e";
  const name = "127.0.0.1:1/?api_key=s3cr3t-e";
  const single: Result = {
    ...aResult(),
    command:
      "npx lbbench sweep -H 'authorization: Bearer s3cr3t-a' 'http://ann:s3cr3t-d@127.0.0.1:1/?api_key=s3cr3t-e'",
    scenario: { ...scenario, request, targets: [{ name, server: "url", options: { url } }], reference: null },
    steps: aResult().steps.map((step) => ({ ...step, target: name })),
  };
  const mix = [{ name: "one", weight: 1, request, bodies: null }];
  const mixed: Result = { ...single, scenario: { ...single.scenario, mix } };

  it.each([
    ["one request", single],
    ["a mix", mixed],
  ])("holds no secret of %s, and says where one was", (_, result) => {
    const texts = [renderMarkdown(result, { charts: "none" }), renderHtml(result), renderSummary(result)];
    for (const text of texts) expect(text).not.toContain("s3cr3t");
    for (const text of texts.slice(0, 2)) {
      expect(text).toContain("Authorization: (hidden)");
      expect(text).toContain("accept: text/html");
      expect(text).toContain("http://ann:***@127.0.0.1:1/?api_key=***");
    }
  });
});
