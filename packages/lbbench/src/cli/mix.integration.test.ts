import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer, type TestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

/** A server that says 503 for `/broken`, and what it was asked. */
async function aShop(): Promise<TestServer & { readonly bodies: ReadonlyMap<string, readonly string[]> }> {
  const bodies = new Map<string, string[]>();
  const server = await startTestServer({
    onRequest: (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const key = `${request.method} ${request.url}`;
        bodies.set(key, [...(bodies.get(key) ?? []), Buffer.concat(chunks).toString()]);
        response.writeHead(request.url === "/broken" ? 503 : 200).end("hello");
      });
    },
  });
  return { ...server, bodies };
}

const SHORT = ["--warmup", "0", "-f", "md", "-o", "report"];

describe("lbbench sweep --mix", () => {
  it("sends the requests of the file in proportion, and reports them one by one", async () => {
    const shop = await aShop();
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "load"));
    writeFileSync(join(cwd, "load", "carts.jsonl"), '{"item":1}\n{"item":2}\n');
    const mix = [
      { path: "/", weight: 7 },
      { name: "add to cart", method: "POST", path: "/cart", weight: 2, bodiesFile: "carts.jsonl" },
      { path: "/broken" },
    ];
    writeFileSync(join(cwd, "load", "mix.json"), JSON.stringify(mix));
    const args = ["sweep", shop.url, "--mix", "load/mix.json", "-n", "300", "-c", "1,10", ...SHORT];
    const outcome = await runCli(args, cwd);
    expect(outcome.code, outcome.stderr).toBe(ExitCode.pass);

    const { command, scenario, steps } = readStoredResult(join(cwd, "report"));
    expect(command).toBe(`npx lbbench ${args.join(" ")}`);
    expect(scenario.engine.name).toBe("undici");
    for (const { measurement } of steps) {
      expect(measurement?.mix).toMatchObject([
        { name: "GET /", sent: 210, ok: 210, failed: 0 },
        { name: "add to cart", sent: 60, ok: 60, failed: 0 },
        { name: "GET /broken", sent: 30, ok: 0, failed: 30 },
      ]);
    }
    expect(new Map([...shop.bodies].map(([key, bodies]) => [key, bodies.length]))).toEqual(
      new Map([
        ["GET /", 420],
        ["GET /broken", 60],
        ["POST /cart", 120],
      ]),
    );
    expect(shop.bodies.get("POST /cart")?.slice(0, 3)).toEqual(['{"item":1}', '{"item":2}', '{"item":1}']);
    const markdown = readMarkdown(join(cwd, "report"));
    expect(markdown.replaceAll(/ +/g, " ")).toContain("| 10 | add to cart | 60 | 20.0 | 60 | 0 |");
    expect(markdown).toContain("a mix of GET / (70.0 %), add to cart (20.0 %) and GET /broken (10.0 %).");
  });

  it("takes the mix of a config file, where paths begin at its folder, and what flags say of all requests", async () => {
    const shop = await aShop();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "body.txt"), "whole\n");
    writeConfig(cwd, {
      targets: [{ name: "shop", server: "url", options: { url: `${shop.url}own/path` } }],
      request: { method: "PUT", bodyFile: "body.txt" },
      mix: [{ path: "/a" }, { path: "/b" }],
    });
    const outcome = await runCli(["sweep", "-c", "2", "-n", "20", "-m", "POST", ...SHORT], cwd);
    expect(outcome.code, outcome.stderr).toBe(ExitCode.pass);
    expect(shop.bodies.get("POST /a")).toEqual(Array.from({ length: 10 }, () => "whole\n"));
    expect(shop.bodies.get("POST /b")).toHaveLength(10);
    expect(readFileSync(join(cwd, "report", "report.md"), "utf8")).toContain("only the host counts");
  });

  it("sends an entry without a path to that of the URL, whatever the config file says of requests", async () => {
    const shop = await aShop();
    const cwd = temporaryFolder();
    writeConfig(cwd, { request: { method: "PUT", body: "unused" }, ramp: { to: 5 }, search: { by: "rate" } });
    writeFileSync(
      join(cwd, "mix.json"),
      JSON.stringify([
        { method: "POST", body: "x" },
        { path: "/own", body: null },
      ]),
    );
    const args = ["sweep", `${shop.url}api?k=1`, "--mix", "mix.json", "-n", "10", "-c", "1", ...SHORT];
    const outcome = await runCli(args, cwd);
    expect(outcome.code, outcome.stderr).toBe(ExitCode.pass);
    expect([...shop.bodies.keys()].toSorted()).toEqual(["POST /api?k=1", "PUT /own"]);
  });

  it("refuses a file that is wrong before any load is sent, and names the entry", async () => {
    const shop = await aShop();
    const cwd = temporaryFolder();
    const run = (mix: unknown, ...more: string[]) => {
      writeFileSync(join(cwd, "mix.json"), JSON.stringify(mix));
      return runCli(["sweep", shop.url, "--mix", "mix.json", "-n", "10", "-c", "1", ...SHORT, ...more], cwd);
    };
    expectRefusal(await run([{}, { weight: 0 }]), [
      "--mix mix.json: [1].weight: expected a number from 0.000001",
      "got 0",
    ]);
    expectRefusal(await run([{}, { bodiesFile: "none" }]), [
      "mix[1].bodiesFile (--mix): expected a file that can be read",
    ]);
    expectRefusal(await run([{}, {}]), ['mix[1] (--mix): expected a name that no other entry has, got "GET /"']);
    expectRefusal(await run([{ body: "own" }], "-b", "x"), [
      "request.body (-b, --body-file): expected an entry of the mix",
    ]);
    expectRefusal(await run([{}, { weight: 1e308 }]), ["[1].weight: expected a number from 0.000001 to 1000000"]);
    expectRefusal(await run([{}], "--engine", "autocannon"), [
      'The engine "autocannon" cannot send a mix of requests (--mix)',
      "undici",
    ]);
    expect(shop.requests()).toBe(0);
  });
});
