import { mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { needs } from "@lbbench/test-support/needs.js";
import { listNumbers, processTree, readProcFile } from "../system/proc.js";
import { balancerProgramContract } from "../testing/balancer-contract.js";
import { BALANCER_PROGRAMS } from "./balancer-programs.js";
import { occupyPort } from "./test-support/occupied-port.js";
import { startBuiltIn } from "./test-support/start-built-in.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";

const temporary = useOwnTemporaryFolder();
// Cases are made before hooks run, and their options name this.
const occupied = await occupyPort();
afterAll(() => occupied.free());

/** A configuration that each does not take, and what the error has to say. */
const REFUSED: Readonly<Record<string, readonly [template: string, ...says: (string | RegExp)[]]>> = {
  nginx: ["evnts {}", /unknown directive "evnts"/, /is: evnts {}/],
  haproxy: ["globl\n", /\[haproxy\.cfg:1\]/, /is: globl/],
  caddy: ["{\n\tautohttps off\n}\n", /Caddyfile:2/, /is: autohttps off/],
  envoy: ["static_resorces: {}\n", "envoy.yaml", "static_resorces"],
  traefik: ["http: { services: [] }\n", "traefik.yaml", "services"],
};

describe.each(BALANCER_PROGRAMS.map((row) => ({ name: row.name, row })))("$name", ({ name, row }) => {
  const [template, ...says] = REFUSED[name] ?? [""];
  const refused = [{ template, says }];
  const contract = balancerProgramContract(row, { occupied: occupied.port, refused });
  it.runIf(needs(name)).each(contract)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
    expect(temporary.content()).toEqual([]);
  });
});

it.runIf(needs("haproxy"))(
  "a program that cannot be asked at its socket says that the path of that is too long",
  async () => {
    const long = join(tmpdir(), "a".repeat(100));
    mkdirSync(long);
    vi.stubEnv("TMPDIR", long);
    await expect(startBuiltIn("haproxy", { backends: 1 })).rejects.toThrow(
      /^Expected a folder for the files of HAProxy whose sockets have paths of less than 10[48] bytes, got .*TMPDIR\.$/,
    );
  },
);

/** Processes, threads or cores that a program has for requests: what `workers` means to each. */
const WORKERS: Readonly<Record<string, (pid: number) => number>> = {
  nginx: (pid) => processTree(pid).length - 1,
  haproxy: (pid) => threadsOf(processTree(pid)[1] ?? -1).length,
  caddy: (pid) => coresOf(pid),
  envoy: (pid) => threadsOf(pid).filter((name) => name.startsWith("wrk:")).length,
  traefik: (pid) => coresOf(pid),
};

const threadsOf = (pid: number): readonly string[] =>
  listNumbers(`/proc/${pid}/task`).map((thread) => readProcFile(`/proc/${pid}/task/${thread}/comm`).trim());

const coresOf = (pid: number): number =>
  Number(/(?:^|\0)GOMAXPROCS=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, "utf8"))?.[1]);

it.each(BALANCER_PROGRAMS.map(({ name }) => name).filter((name) => needs(name)))(
  "%s has as many workers as were asked for",
  async (name) => {
    const { processes } = await startBuiltIn(name, { backends: 1, workers: 3 });
    expect(processes[0]).toMatchObject({ role: "balancer", name, tree: true });
    await expectSoon(() => WORKERS[name]?.(processes[0]?.pid ?? -1)).toBe(3);
  },
);
