import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import type { Setting } from "../config/field.js";
import { nameFlag, SETTINGS } from "../config/settings.js";
import { DEFAULTS, parseSweepInput } from "../index.js";
import { BALANCER_SETTINGS, readOptions, type BalancerFlags } from "./commands/proxy.js";
import { readSample } from "./commands/serve.js";
import { attributeOf, readFlags } from "./flags.js";
import type { Flags } from "./io.js";

const settings = SETTINGS.filter(({ flags, path }) => flags !== undefined && path !== undefined);

const read = async (flags: Flags, cwd = "/") =>
  (await readFlags({ keepalive: true, ...flags }, settings, { cwd })).input;

describe("the flags of a run", () => {
  it.each<[string, Flags, object]>([
    ["no key for one that was not given", {}, {}],
    [
      "words for the check to read, and whole numbers as numbers",
      { keepalive: false, connections: "1,2", trials: "3", generators: "two", format: "md, png" },
      { keepAlive: false, connections: "1,2", trials: 3, generators: "two", formats: ["md", "png"] },
    ],
    [
      "those of a ramp together",
      { from: "2", to: "many", over: "1m", steps: "3", hold: "5s" },
      { ramp: { from: 2, to: "many", over: "1m", steps: 3, hold: "5s" } },
    ],
    [
      "HTTP/2, and options of engines",
      { http2: true, streams: "10", channels: "2" },
      { httpVersion: "2", engines: { grpc: { channels: 2 }, wire: { streams: 10 } } },
    ],
    [
      "headers by name, whose values may hold colons, or nothing",
      { header: ["Accept: a", "X-Time:10:30", "Empty:", "Accept: b", "__proto__: c"] },
      {
        request: {
          headers: { Accept: ["a", "b"], "X-Time": ["10:30"], Empty: [""], ["__proto__"]: ["c"] },
        },
      },
    ],
  ])("are handed over with %s", async (_, flags, expected) => {
    expect(await read(flags)).toEqual(expected);
  });

  it.each(["Accept", ": value", "A b: value", ""])("are refused with the header %j", async (line) => {
    await expect(read({ header: [line] })).rejects.toThrow(
      `-H, --header: expected a header such as "Accept: application/json", got "${line}"`,
    );
  });

  it.each([
    ["grüß", { body: "grüß", bodyEncoding: "utf8" }],
    [Buffer.from([0xff, 0x00]), { body: "/wA=", bodyEncoding: "base64" }],
  ])("read a body from a file, as base64 where it is no text: %j", async (content, request) => {
    expect(await read({ bodyFile: "body" }, temporaryFolder({ body: content }))).toEqual({ request });
  });

  it("read a mix from a file, at whose folder the paths in it begin", async () => {
    const mix = '[{"path": "/", "weight": 2}, {"bodiesFile": "b.txt"}, {"bodyFile": "/c"}]';
    const cwd = temporaryFolder({ "mix.json": mix });
    expect(await read({ mix: "mix.json" }, cwd)).toEqual({
      mix: [{ path: "/", weight: 2 }, { bodiesFile: join(cwd, "b.txt") }, { bodyFile: "/c" }],
    });
  });
});

describe("a setting that is wrong", () => {
  it.each(settings)("is named by the flag that gave it: $flags", async (setting) => {
    const cwd = temporaryFolder({ "file.json": "[{}]" });
    const paths = pathsOf(await read({ [attributeOf(setting.flags ?? "")]: valueFor(setting) }, cwd));
    const flag = /--[\w-]+/.exec(setting.flags ?? "")?.[0] ?? "";
    // A file that is the body is read as the body, and its encoding is never wrong.
    const known = paths.filter((path) => path.join(".") !== "request.bodyEncoding" && flag !== "--body-file");
    for (const path of known) expect(nameFlag(path), path.join(".")).toMatch(new RegExp(`${flag}$`));
    expect(paths).not.toEqual([]);
  });

  it("is told of one by one, and named after the command line where no flag can give it", () => {
    const request = { headers: { "a b": "c" } };
    const input = { connections: "x", thresholds: ["fast"], request, ramp: { over: "soon" } };
    expect(() => parseSweepInput(input, nameFlag)).toThrow(
      /^-c, --connections: [^]*^-H, --header: [^]*^--threshold: [^]*^--over: /m,
    );
    expect([nameFlag(["targets", 0]), nameFlag([])]).toEqual(["command line", "command line"]);
  });

  /** A value that can be read. */
  function valueFor({ flags = "", kind, words }: Setting): Flags[string] {
    if (kind === "word") return words?.[0];
    if (!/[<[]/.test(flags)) return !flags.startsWith("--no-");
    if (kind === "headers") return ["A: b"];
    return kind === "repeat" ? ["x"] : kind === "mixFile" || kind === "bodyFile" ? "file.json" : "1";
  }

  /** Where in an input there is something. */
  function pathsOf(value: unknown): readonly (readonly string[])[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [[]];
    return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map((path) => [key, ...path]));
  }
});

const backend = ["http://127.0.0.1:9002"];

/** What of the command line is for the balancer, and what for the command. */
async function readBalancer(flags: Flags = {}, cwd = "/"): Promise<{ readonly balancer: object } & BalancerFlags> {
  const { input, own } = await readFlags<BalancerFlags>({ backend, ...flags }, BALANCER_SETTINGS, { cwd });
  return { balancer: readOptions(input), ...own };
}

describe("the flags of lbbench proxy", () => {
  it("ask for the default policy when nothing else is said", async () => {
    const backends = [{ url: "http://127.0.0.1:9002" }];
    expect(await readBalancer()).toEqual({ balancer: { backends, policy: DEFAULTS.policy } });
  });

  const balancer = (expected: object): object => ({ balancer: expected });
  it.each<[Flags, object]>([
    [
      { backend: ["http://a:1 weight=3 name=blue", "unix:/run/b.sock  weight=0.5"] },
      balancer({
        backends: [
          { url: "http://a:1", weight: 3, name: "blue" },
          { url: "unix:/run/b.sock", weight: 0.5 },
        ],
      }),
    ],
    [{ connectTimeout: "200ms", idleTimeout: "2m" }, balancer({ timeouts: { connectMs: 200, idleMs: 120_000 } })],
    [{ maxConnections: "8", queue: "0" }, balancer({ limits: { connectionsPerBackend: 8, queuePerBackend: 0 } })],
    [{ maxHeadLines: "100", via: "edge" }, balancer({ limits: { headLines: 100 }, via: "edge" })],
    [{ forwarded: "append", underscores: "pass" }, balancer({ forwarded: "append", underscores: "pass" })],
    [{ healthCheck: true }, balancer({ health: { active: { path: "/" } } })],
    [{ healthCheck: "/up", healthInterval: "1s" }, balancer({ health: { active: { path: "/up", intervalMs: 1000 } } })],
    [{ outliers: "2.5" }, balancer({ health: { outliers: { slowFactor: 2.5 } } })],
    [{ outliers: "Infinity" }, balancer({ health: { outliers: { slowFactor: Infinity } } })],
    [{ backendInsecure: true }, balancer({ backendTls: { verify: false } })],
    [{ mode: "tcp", transport: "http-proxy" }, balancer({ mode: "tcp", transport: "http-proxy" })],
    [{ socket: "/run/lb.sock" }, { socket: "/run/lb.sock" }],
    [{ log: true }, { log: "combined" }],
    [
      { log: "json", workers: "2" },
      { log: "json", workers: 2 },
    ],
  ])("are read: %o", async (flags, expected) => {
    expect(await readBalancer(flags)).toMatchObject(expected);
  });

  it("name files of certificates from the working folder, each with the key of the same place", async () => {
    const folder = temporaryFolder({ cert: "the cert", key: "the key", other: "another" });
    const one = await readBalancer({ tlsCert: ["cert"], tlsKey: ["key"] }, folder);
    expect(one.balancer).toMatchObject({ tls: { certificates: [{ cert: "the cert", key: "the key" }] } });
    const two = await readBalancer({ tlsCert: ["cert", "other"], tlsKey: ["key", "key"] }, folder);
    const [first, second] = [
      { cert: "the cert", key: "the key" },
      { cert: "another", key: "the key" },
    ];
    expect(two.balancer).toMatchObject({ tls: { certificates: [first, second] } });
    await expect(readBalancer({ tlsCert: ["cert", "other"], tlsKey: ["key"] }, folder)).rejects.toThrow(
      "--tls-key: expected one for each --tls-cert, of which there are 2; got 1",
    );
  });
});

describe("the flags of lbbench serve", () => {
  const common = { port: 8080, host: "127.0.0.1", handler: "hello" };
  const POOL = { pool: 8, queue: 0, policy: "drop-head", refusal: "close", adminPort: 0 };
  it.each<[string, Flags, object]>([
    ["single", {}, common],
    ["cluster", {}, { ...common, workers: 4 }],
    ["pool", {}, common],
    ["grpc", { maxCalls: "5" }, { ...common, maxCalls: 5 }],
    ["websocket", { handler: "work" }, { ...common, handler: "work" }],
    [
      "pool",
      { pool: "8", queue: "0", policy: "drop-head", refuseByClosing: true, admin: "0", handler: "cpu:1ms", port: "0" },
      { ...common, port: 0, handler: "cpu:1ms", ...POOL },
    ],
  ])("are read: %s %o", async (kind, flags, options) => {
    expect(await readSample(kind, flags, "/")).toEqual({ kind, options });
  });
});
