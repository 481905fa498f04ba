import { describe, expect, it } from "vitest";
import type { Result } from "../model/result.js";
import { aRequest, aResult } from "../test-support/fixtures.js";
import { hideSecrets, secretsOf } from "./hide-secrets.js";
import { renderHtml } from "../report/html/page.js";
import { renderMarkdown } from "../report/markdown.js";
import { renderSummary } from "../report/summary-table.js";
import { aSweep } from "../report/test-support/sample-results.js";

describe("secrets", () => {
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
    [
      `npx lbbench sweep -b '{"id": 1, "user.password": "a\\"b"}' u`,
      `npx lbbench sweep -b '{"id": 1, "user.password": "(hidden)"}' u`,
      'a\\"b',
    ],
    ["node server.js --api-token abcd -p 1", "node server.js --api-token (hidden) -p 1", "abcd"],
    ["node server.js --api-key abcd -p 1", "node server.js --api-key (hidden) -p 1", "abcd"],
    ["1.http://ann:pa55word@host.test/", "1.http://ann:***@host.test/", "pa55word"],
  ])("are hidden in %s", (text, shown, secret) => {
    expect(hideSecrets({ text })).toEqual({ text: shown });
    expect(secretsOf([text])).toContain(secret);
  });

  // In a time that grows with the square it would be minutes, more than a test may take.
  it.each(["a.", "-H"])("are looked for in a long hostile text of %s", (unit) => {
    const text = unit.repeat(600_000);
    expect(hideSecrets(text)).toBe(text);
  });

  it("are values of headers and options by their names, at any depth, and nothing else", () => {
    const data = { headers: [["Proxy-Authorization", "Basic abcd"]], options: { tls: { key: "abcd", cert: "c" } } };
    const hidden = { headers: [["Proxy-Authorization", "(hidden)"]], options: { tls: { key: "(hidden)", cert: "c" } } };
    expect([hideSecrets(data), secretsOf(data)]).toEqual([hidden, ["Basic abcd", "abcd"]]);
    const command = ["node", "a.js", "--api-token", "abcd", "--key", "a.pem", "--cookie", "-v"];
    expect(hideSecrets({ command })).toEqual({ command: command.with(3, "(hidden)") });
    const result = aSweep({ trials: 2 });
    expect(hideSecrets(result)).toBe(result);
    const text = "http://127.0.0.1:8080/@x?monkey_business=1, a:b@c, keys: 3";
    expect(hideSecrets(text)).toBe(text);
  });

  it.each(["one request", "a mix"])("are in nothing that people read of %s, which says where one was", (what) => {
    const headers = Object.entries({ Authorization: "Bearer s3cr3t-a", accept: "text/html" });
    const request = aRequest({ headers, path: "/items?token=s3cr3t-c" });
    const url = "http://ann:s3cr3t-d@127.0.0.1:1/?api_key=s3cr3t-e";
    const name = "127.0.0.1:1/?api_key=s3cr3t-e";
    const { scenario, steps, ...rest } = aResult();
    const mix = what === "a mix" ? [{ name: "one", weight: 1, request, bodies: null }] : null;
    const result: Result = {
      ...rest,
      command: `npx lbbench sweep -H 'authorization: Bearer s3cr3t-a' '${url}'`,
      scenario: { ...scenario, request, mix, targets: [{ name, server: "url", options: { url } }] },
      steps: steps.map((step) => ({ ...step, target: name })),
    };
    const texts = [renderMarkdown(result, { charts: "none" }), renderHtml(result)];
    expect(texts.join("") + renderSummary(result)).not.toContain("s3cr3t");
    for (const text of texts)
      for (const shown of ["Authorization: (hidden)", "accept: text/html", "http://ann:***@127.0.0.1:1/?api_key=***"])
        expect(text).toContain(shown);
  });
});
