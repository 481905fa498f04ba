import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { LOCALHOST, LOCALHOST_FILES } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { inRepository } from "@lbbench/test-support/repository.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startGrpcTruthServer } from "../../test/ground-truth/grpc-server.js";
import { sweep } from "../api/sweep.js";
import type { SweepInput } from "../config/sweep-input.js";

const REQUESTS = 400;
const FOUR = { backends: 4 };
const FOUR_SERVICES = { backends: [{ server: "grpc", count: 4 }] };

/** Loads one target by users that share one connection; resolves with the step, and what each backend got, the largest first. */
async function load(server: string, options: object, input: SweepInput = {}) {
  const isGrpc = input.httpVersion === undefined;
  const { result } = await sweep({
    targets: [{ name: server, server, options: options as Record<string, unknown> }],
    connections: 8,
    requests: REQUESTS,
    warmup: "0",
    generators: 1,
    engines: isGrpc ? { grpc: { channels: 1 } } : { wire: { streams: 8 } },
    ...input,
  });
  const [step] = result.steps;
  const counts = Object.values(step?.measurement?.backends ?? {}).map(({ requests }) => requests);
  return { step, counts: counts.toSorted((a, b) => b - a) };
}

const OVER_ONE_CONNECTION = {
  state: "completed",
  measurement: { connections: { opened: 1 }, requests: { sent: REQUESTS, ok: REQUESTS } },
};

const TWO_BEHIND_BALANCERS = [{ server: "balanced", count: 2, options: { backends: ["grpc"] } }];
const SERVE_GRPC = [process.execPath, inRepository("packages/lbbench/bin/lbbench.js"), "serve", "grpc"];
const PROGRAM = { command: [...SERVE_GRPC, "--port", "{port}"], url: "grpc://127.0.0.1:{port}" };
const TWO_PROGRAMS = [{ server: "command", count: 2, options: PROGRAM }];

const EQUAL = Array.from({ length: 4 }, () => REQUESTS / 4);
const HALVES = [REQUESTS / 2, REQUESTS / 2];

// Those of programs: balancer-programs.slow.test.ts.
it.each<[what: string, options: object, input: SweepInput, counts: readonly number[]]>([
  ["an equal share of the calls of gRPC to each of four", FOUR_SERVICES, {}, EQUAL],
  ["an equal share of the requests of HTTP/2 to each of four", FOUR, { httpVersion: "2" }, EQUAL],
  ["everything to one of four when it relays bytes", { ...FOUR_SERVICES, mode: "tcp" }, {}, [REQUESTS, 0, 0, 0]],
  ["an equal share to each of two that stand behind balancers", { backends: TWO_BEHIND_BALANCERS }, {}, HALVES],
  ["an equal share to each of two programs that serve gRPC", { backends: TWO_PROGRAMS }, {}, HALVES],
])("balanced gives, of one connection, %s", async (_what, options, input, expected) => {
  const { step, counts } = await load("balanced", options, input);
  const [engine, ok] = input.httpVersion === "2" ? ["wire", 200] : ["grpc", "OK"];
  expect(step).toMatchObject({ engine, ...OVER_ONE_CONNECTION });
  expect(step?.measurement?.statusCodes).toEqual({ [ok]: REQUESTS });
  expect(counts).toEqual(expected);
});

it("a balancer speaks TLS with gRPC services of grpcs://, and none with the client", async () => {
  vi.stubEnv("NODE_EXTRA_CA_CERTS", LOCALHOST_FILES.cert);
  onTestFinished(() => void vi.unstubAllEnvs());
  const services = await Promise.all(
    [1, 2].map(() => startGrpcTruthServer(() => ({ end: "OK" }), { identity: LOCALHOST })),
  );
  for (const { close } of services) onTestFinished(close);
  const { step } = await load("balanced", { backends: services.map(({ url }) => url) });
  expect(step).toMatchObject({ engine: "grpc", ...OVER_ONE_CONNECTION });
  expect(services.map(({ log }) => log.requests)).toEqual([REQUESTS / 2, REQUESTS / 2]);
});

it.runIf(needs("nginx"))("a template of the user's for nginx says where it takes HTTP/2, and where gRPC", async () => {
  const template = `{{#user}}user {{user}};{{/user}}
    events {}
    http {
      access_log off;
      upstream mine { {{#backends}}server {{address}};{{/backends}} }
      server {
        listen {{host}}:{{port}}{{#http2}} http2{{/http2}};
        location / { {{module}}_pass {{#grpc}}grpc{{/grpc}}{{^grpc}}http{{/grpc}}://mine; }
      }
    }`;
  const own = { template: join(temporaryFolder({ "nginx.template": template }), "nginx.template") };
  expect((await load("nginx", { ...FOUR_SERVICES, ...own })).step).toMatchObject(OVER_ONE_CONNECTION);
  expect((await load("nginx", { ...FOUR, ...own }, { httpVersion: "2" })).step).toMatchObject(OVER_ONE_CONNECTION);
});
