import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { importOutput } from "../../api/import-output.js";
import { sweep } from "../../api/sweep.js";
import type { Result } from "../../model/result.js";

const run = promisify(execFile);

/** A server that gives every tenth request of ab status 503 with a body of another length, beginning with the first. */
async function startOddServer(): Promise<string> {
  let asked = 0;
  const server = createServer(({ headers }, response) => {
    const isOdd = headers["user-agent"]?.startsWith("ApacheBench") === true && asked++ % 10 === 0;
    response.writeHead(isOdd ? 503 : 200).end(isOdd ? "busy" : "answer");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function expectDoubt({ steps, verdict }: Result): void {
  expect(steps[0]?.measurement?.requests).toMatchObject({ sent: 200, ok: 180, non2xx: 20, unclassified: 0 });
  const args = expect.objectContaining({ because: "FIGURE_DOUBTFUL" }) as object;
  expect(verdict.findings).toContainEqual(expect.objectContaining({ code: "THRESHOLD_INCONCLUSIVE", args }));
}

describe.runIf(needs("ab"))("a first answer of another length than most, to ab", () => {
  it("makes a threshold on errors inconclusive with the engine ab, and takes no good answer for a failure", async () => {
    const url = await startOddServer();
    const { result } = await sweep({
      targets: [{ name: "odd", server: "url", options: { url } }],
      connections: [1],
      requests: [200],
      warmup: "0ms",
      keepAlive: false,
      engine: "ab",
      thresholds: ["errors<1%"],
    });
    expectDoubt(result);
  });

  it("does so with its output that is imported", async () => {
    const { stdout } = await run("ab", ["-q", "-n", "200", "-c", "1", await startOddServer()]);
    const { result } = await importOutput([{ name: "runs.txt", content: stdout }], { thresholds: ["errors<1%"] });
    expectDoubt(result);
  });
});
