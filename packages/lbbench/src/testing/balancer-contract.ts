/** What every balancer program has to do, by requests that real backends count. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { request as secureRequest, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import { setTimeout as wait } from "node:timers/promises";
import { sweep } from "../api/sweep.js";
import type { FaultKind, HttpVersion, RunningServer } from "../plugin.js";
import { balancerProgram, type BalancerProgram } from "../servers/balancer-program.js";
import { defined } from "../stats/defined.js";
import { waysToInstall } from "../system/program.js";
import { processTree, readProcStat } from "../system/proc.js";
import { acceptsConnections, expectSaid, runningOf, type ContractCase } from "./contract.js";
import { observeBackend, type ObservedBackend } from "./observed-backend.js";
import { requestOnce } from "./request-once.js";
import { serverContract, startPlugin, whileRunning } from "./server-contract.js";

/** A balancer program with what is needed to try it. */
export interface BalancerContractSubject {
  /** Options of each start beside those of a case: `{ program: "/opt/caddy" }`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** A port at which something listens. */
  readonly occupied: number;
  /** Configurations that the program does not take, and what it is to be quoted with. */
  readonly refused?: readonly { readonly template: string; readonly says: readonly (string | RegExp)[] }[];
}

const REQUESTS = 12;
/** Enough that a share of a half is told from one of three quarters by five standard deviations. */
const MANY = 400;
const PATIENCE_MS = 30_000;

type Asked = Readonly<{ path?: string; headers?: Record<string, string> }>;

/** A balancer in front of backends that are observed. */
interface Balanced {
  readonly running: RunningServer;
  readonly backends: readonly ObservedBackend[];
  /** Sends requests one after the other, each over a new connection; resolves with how many each backend got. */
  readonly shares: (ask?: (index: number) => Asked, count?: number) => Promise<readonly number[]>;
  readonly apply: (part: string, kind: FaultKind) => Promise<void>;
}

interface Setup {
  readonly count?: number;
  readonly options?: object;
  readonly weights?: readonly number[];
  readonly httpVersion?: HttpVersion;
}

/**
 * The cases of a balancer program: those of every server plugin, and its policies, connections, limits, faults and protocols. What
 * it lacks has to be refused. Processes are seen on Linux only.
 */
export function balancerProgramContract(
  row: BalancerProgram,
  subject: BalancerContractSubject,
): readonly ContractCase[] {
  const { options = {}, occupied, refused = [] } = subject;
  const { installation, lacks = [], policies, name: program } = row;
  const server = balancerProgram(row);
  const lack = (one: (typeof lacks)[number]): boolean => lacks.includes(one);

  const balance = async (
    { count = 2, options: more, weights, httpVersion }: Setup,
    act: (balanced: Balanced) => Promise<void>,
  ): Promise<void> => {
    const backends = await Promise.all(Array.from({ length: count }, observeBackend));
    const closing: (() => Promise<void>)[] = backends.map(({ close }) => close);
    try {
      const groups = backends.map(({ url }, index) => ({
        server: "url",
        options: { url },
        weight: weights?.[index] ?? 1,
      }));
      const signal = new AbortController().signal;
      const one = lack("workers") ? { workers: 1 } : {};
      const running = await startPlugin(server, { ...options, backends: groups, ...more, ...one }, signal, httpVersion);
      closing.unshift(running.stop);
      const shares = async (
        ask: (index: number) => Asked = () => ({}),
        sent = REQUESTS,
      ): Promise<readonly number[]> => {
        const before = backends.map(({ received }) => received.length);
        for (let index = 0; index < sent; index += 1) {
          const asked: Asked = ask(index);
          assert.equal((await requestOnce(new URL(asked.path ?? "/", running.url), asked.headers)).status, 200);
        }
        return backends.map(({ received }, index) => received.length - (before[index] ?? 0));
      };
      const apply: Balanced["apply"] = async (part, kind) => {
        const found = running.parts?.find((one) => one.name === part);
        assert.ok(found, `there has to be a part "${part}"`);
        await found.apply({ kind });
      };
      await act({ running, backends, shares, apply });
    } finally {
      for (const close of closing) await close();
    }
  };
  const starting = (more: object, check: (running: RunningServer) => Promise<void>): Promise<void> =>
    whileRunning(() => startPlugin(server, { ...options, ...more }), check);
  const refuse = (more: object, says: string | RegExp): Promise<void> =>
    assert.rejects(startPlugin(server, { ...options, backends: 1, ...more }), (error: Error) => {
      expectSaid(error.message, says);
      return true;
    });
  const withTemplate = async (template: string, act: (more: object) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "lbbench-contract-"));
    try {
      const path = join(folder, "a b;{}'.template");
      await writeFile(path, template);
      await act({ backends: 2, template: path });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  const cases: Record<string, () => Promise<void>> = {};
  for (const [policy, check] of Object.entries(POLICIES)) {
    const named = `${policy}${policy.endsWith(":header") ? ":X-User" : policy.endsWith(":cookie") ? ":user" : ""}`;
    cases[`shares requests out as ${named} says, or refuses it`] =
      policy in policies
        ? () => check((setup, act) => balance({ ...setup, options: { ...setup.options, policy: named } }, act))
        : () => refuse({ policy: named }, `${installation.title} can do`);
  }
  for (const [policy, { isUnweighted = false }] of Object.entries(policies).filter(([name]) => !name.includes(":"))) {
    if (!isUnweighted) continue;
    const backends = [1, 2].map((weight) => ({ server: "single", weight }));
    cases[`refuses weights that ${policy} would not look at`] = () => refuse({ backends, policy }, "weight");
  }
  Object.assign(cases, {
    "refuses policies that there are not, modules, seeds, and weights that are no whole numbers": async () => {
      for (const policy of ["round-robbin", "constructor", "./own.mjs"]) await refuse({ policy }, "expected");
      await refuse({ backends: [{ server: "single", weight: 0.5 }] }, "1 to 256");
    },
    "keeps one connection to a backend, also for clients that are new each time": () =>
      balance({ count: 1 }, async ({ shares, backends }) => {
        assert.deepEqual(await shares(), [REQUESTS]);
        assert.equal(backends[0]?.connections(), 1);
      }),
    "makes a connection for each request where none is to be kept": () =>
      lack("noKeepAlive")
        ? refuse({ keepAlive: 0 }, "keepAlive")
        : balance({ count: 1, options: { keepAlive: 0 } }, async ({ shares, backends }) => {
            assert.deepEqual(await shares(), [REQUESTS]);
            assert.equal(backends[0]?.connections(), REQUESTS);
          }),
    "keeps as many connections as there are requests at a time, by default": () =>
      balance({ count: 1 }, async ({ running, backends: [backend] }) => {
        for (let round = 0; round < 3; round += 1) await holdAtOnce(running.url, backend, 50);
        assert.equal(backend?.connections(), 50);
      }),
    "keeps no more connections than it is asked to, or refuses a number": () =>
      lack("someKeepAlive")
        ? refuse({ keepAlive: 1 }, "keepAlive")
        : balance({ count: 1, options: { keepAlive: 1 } }, async ({ running, backends: [backend] }) => {
            await holdAtOnce(running.url, backend, 5);
            await holdAtOnce(running.url, backend, 5);
            // Four of five were closed, and had to be made anew.
            assert.equal(backend?.connections(), 9);
          }),
    "gives a backend no more requests at a time than it may have connections": () =>
      lack("maxConnections")
        ? refuse({ maxConnections: 1 }, "maxConnections")
        : balance({ count: 1, options: { maxConnections: 1 } }, async ({ running, backends: [backend] }) => {
            const asked = [0, 1].map(() => requestOnce(new URL("/hold", running.url)));
            let answered = 0;
            for (const one of asked) void one.then(() => (answered += 1));
            // The other one waits, or is refused at once.
            while (answered < 2) {
              backend?.release();
              await wait(5);
            }
            const statuses = (await Promise.all(asked)).map(({ status }) => status);
            assert.ok(statuses.includes(200), `statuses: ${statuses.join(", ")}`);
            assert.equal(backend?.most(), 1);
          }),
    "tells backends whom the client asked, and who it was": () =>
      balance({ count: 1 }, async ({ running, backends: [backend] }) => {
        await requestOnce(running.url, { host: "example.org:81" });
        const [{ headers, httpVersion } = { headers: {} as IncomingMessage["headers"], httpVersion: "" }] =
          backend?.received ?? [];
        assert.deepEqual(
          [headers.host, headers["x-forwarded-for"], httpVersion],
          ["example.org:81", "127.0.0.1", "1.1"],
        );
      }),
    "loses no request when a backend is gone": () =>
      balance({}, async ({ shares, backends }) => {
        await backends[0]?.close();
        assert.deepEqual(await shares(), [0, REQUESTS]);
      }),
    "counts by backend, whatever it is called, or lets backends count": () =>
      starting({ backends: [{ name: 'big "one"', server: "single" }, { server: "single" }] }, async (running) => {
        for (let sent = 0; sent < REQUESTS; sent += 1) await requestOnce(running.url);
        const counted = Object.entries((await running.backends?.()) ?? {}).map(([name, { requests }]) => [
          name,
          requests,
        ]);
        assert.deepEqual(counted, [
          ['big "one"', REQUESTS / 2],
          ["backend-1", REQUESTS / 2],
        ]);
      }),
    "uses connections to backends again, or not, as the backends count them": async () => {
      for (const keepAlive of lack("noKeepAlive") ? [undefined] : [undefined, 0]) {
        await starting({ backends: 1, ...defined({ keepAlive }) }, async (running) => {
          for (let sent = 0; sent < 3; sent += 1) await requestOnce(running.url);
          const { connections } = (await running.backends?.())?.["backend-1"] ?? {};
          assert.equal(connections?.accepted, keepAlive === 0 ? 3 : 1);
        });
      }
    },
    "counts on over another life, after it was killed or stopped": () =>
      starting({ backends: 2 }, async (running) => {
        const whole = running.parts?.find(({ name }) => name === "balancer");
        for (const kind of ["kill", "stop"] as const) {
          for (let sent = 0; sent < 4; sent += 1) await requestOnce(running.url);
          assert.deepEqual(await countOf(running), kind === "kill" ? [2, 2] : [4, 4]);
          await whole?.apply({ kind });
          await assert.rejects(requestOnce(running.url), /ECONNREFUSED/);
          await whole?.apply({ kind: "start" });
        }
        for (let sent = 0; sent < 4; sent += 1) await requestOnce(running.url);
        assert.deepEqual(await countOf(running), [6, 6]);
      }),
    "leaves no process when it is stopped after all of them were paused, or killed": async () => {
      for (const kind of ["pause", "kill"] as const) {
        await balance({ options: { workers: 2 } }, async ({ running, apply }) => {
          const pids = processTree(running.processes[0]?.pid ?? -1);
          await apply("balancer", "pause");
          if (process.platform === "linux") {
            assert.deepEqual(
              pids.filter((pid) => readProcStat(pid)?.isHalted === true),
              pids,
            );
          }
          if (kind === "kill") await apply("balancer", kind);
          await running.stop();
          assert.deepEqual(runningOf(pids), []);
        });
      }
    },
    "finishes what is under way when it is stopped": () =>
      balance({}, async ({ running, backends, apply }) => {
        const pending = requestOnce(new URL("/hold", running.url));
        pending.catch(() => {});
        const holder = await untilSome(() => backends.find((one) => one.held() === 1));
        const stopping = apply("balancer", "stop");
        await untilSome(async () => ((await acceptsConnections(running.url)) ? undefined : true));
        holder.release();
        assert.equal((await pending).body, "released");
        await stopping;
      }),
    "answers over TLS, by HTTP/1.1 and by HTTP/2, with a certificate that it tells": () =>
      lack("tls")
        ? refuse({ tls: true }, "tls")
        : balance({ count: 1, options: { tls: true } }, async ({ running, backends: [backend] }) => {
            assert.match(running.url, /^https:/);
            await assert.rejects(secureOnce(running.url, undefined), /SELF_SIGNED|self-signed/);
            assert.deepEqual(await secureOnce(running.url, running.certificate), { status: 200, protocol: "http/1.1" });
            assert.deepEqual(await http2Once(running.url, running.certificate), { status: 200, protocol: "h2" });
            assert.deepEqual(
              backend?.received.map(({ httpVersion }) => httpVersion),
              ["1.1", "1.1"],
            );
          }),
    "takes HTTP/2 without TLS by prior knowledge, or says that it does not": async () => {
      if (lack("http2")) return assert.deepEqual(server.httpVersions?.({ tls: false } as never), ["1.1"]);
      await balance({ count: 1, httpVersion: "2" }, async ({ running }) => {
        assert.deepEqual(await http2Once(running.url), { status: 200, protocol: "h2c" });
      });
    },
    "shares out the requests of one connection of HTTP/2": async () => {
      if (lack("http2")) return;
      await expectEqualShares(4, { httpVersion: "2", engines: { wire: { streams: 8 } } }, { backends: 4 });
    },
    "passes gRPC on and shares out the calls of one connection, or says that it does not": async () => {
      if (lack("grpc")) return assert.ok(!("protocol" in server));
      const behind = { backends: [{ server: "grpc", count: 4 }] };
      await expectEqualShares(4, { engines: { grpc: { channels: 1 } } }, behind);
      for (const more of [
        lack("noKeepAlive") ? {} : { keepAlive: 0 },
        lack("tls") ? {} : { tls: true },
        lack("workers") ? {} : { workers: 2 },
      ]) {
        await load({ engines: { grpc: { channels: 1 } } }, { ...behind, ...more });
      }
    },
    "passes a WebSocket on, also over TLS, and gives all its messages to one backend, or says that it does not":
      async () => {
        if (lack("grpc")) return assert.ok(!("protocol" in server));
        const behind = { backends: [{ server: "websocket", count: 4 }] };
        for (const more of [{}, lack("tls") ? {} : { tls: true }, lack("noKeepAlive") ? {} : { keepAlive: 0 }]) {
          const counts = await load({ connections: 1 }, { ...behind, ...more });
          assert.deepEqual(
            counts.toSorted((a, b) => b - a),
            [MANY, 0, 0, 0],
          );
        }
      },
    "quotes the program, and the line, where it does not take a configuration": async () => {
      for (const { template, says } of refused) {
        await withTemplate(template, async (more) => {
          for (const said of says) await refuse(more, said);
        });
      }
    },
    "names a template that cannot be used": async () => {
      await withTemplate("{{prot}}", (more) => refuse(more, /\.template cannot be used.*got "prot"/));
    },
  });
  const drainable = row.drain !== undefined || row.reload !== undefined;
  if (drainable) {
    for (const workers of [1, 2]) {
      cases[`gives a drained backend nothing until it is restored, with ${workers} workers`] = () =>
        balance({ options: { workers } }, async ({ running, shares, apply }) => {
          assert.deepEqual(
            running.parts?.map(({ name, role, can }) => [name, role, can.join(" ")]),
            [
              ["balancer", "balancer", `kill start stop pause resume${row.reload === undefined ? "" : " reload"}`],
              ...["backend-1", "backend-2"].map((name) => [name, "backend", "drain restore"]),
            ],
          );
          assert.ok((await shares()).every((count) => count > 0));
          await apply("backend-1", "drain");
          assert.deepEqual(await shares(), [0, REQUESTS]);
          await apply("backend-1", "restore");
          await apply("backend-2", "drain");
          assert.deepEqual(await shares(), [REQUESTS, 0]);
          await apply("backend-2", "restore");
          assert.ok((await shares()).every((count) => count > 0));
        });
    }
  }

  if (row.reload !== undefined) {
    cases["gives a drained backend nothing when it has read its configuration again"] = () =>
      balance({}, async ({ shares, apply }) => {
        await apply("backend-1", "drain");
        await apply("balancer", "reload");
        assert.deepEqual(await shares(), [0, REQUESTS]);
        await apply("backend-1", "restore");
        assert.ok((await shares()).every((count) => count > 0));
      });
    cases["reads its configuration again and loses no request, also one that is under way"] = () =>
      balance({}, async ({ running, backends, shares, apply }) => {
        const pending = requestOnce(new URL("/hold", running.url));
        pending.catch(() => {});
        const holder = await untilSome(() => backends.find((one) => one.held() === 1));
        const reloading = apply("balancer", "reload");
        reloading.catch(() => {});
        await shares();
        holder.release();
        assert.equal((await pending).body, "released");
        await reloading;
        assert.ok((await shares()).every((count) => count > 0));
      });
  }

  const load = async (input: object, more: object) => {
    const target = { name: program, server: program, options: { ...options, ...more } };
    const plan = { targets: [target], connections: 8, requests: MANY, warmup: "0", generators: 1, ...input };
    const { result } = await sweep(plan, { plugins: { servers: [server] } });
    const [step] = result.steps;
    assert.equal(step?.error?.message, undefined);
    assert.equal(step?.measurement?.connections.opened, 1);
    assert.equal(step?.measurement?.requests.ok, MANY);
    return Object.values(step?.measurement?.backends ?? {}).map(({ requests }) => requests);
  };
  const expectEqualShares = async (count: number, input: object, more: object): Promise<void> => {
    const counts = await load(input, more);
    assert.equal(counts.length, count);
    for (const one of counts) assert.ok(Math.abs(one - MANY / count) <= 1, `shares of ${MANY}: ${counts.join(", ")}`);
  };

  const ways = waysToInstall(installation).map(({ command }) => command);
  const failing = (when: string, more: object, ...says: readonly string[]) => {
    return { when, options: () => ({ ...options, backends: 1, ...more }), says };
  };
  const ofServers = serverContract(server, {
    options: () => ({ ...options, backends: 1 }),
    failing: [
      failing("its port is in use", { port: occupied }, program, String(occupied), "in use"),
      failing("it is not installed", { program: "no-such" }, installation.title, '("no-such") was not found', ...ways),
      failing("the program is another one", { program: "/bin/false" }, program, "exit code 1"),
      failing("there is no such template", { template: "no-such.conf" }, "no-such.conf", "ENOENT", "template"),
    ],
  });
  return [...ofServers, ...Object.entries(cases).map(([name, run]) => ({ name, run }))];
}

type Check = (balance: (setup: Setup, act: (balanced: Balanced) => Promise<void>) => Promise<void>) => Promise<void>;

const used = (counts: readonly number[]): number => counts.filter((count) => count > 0).length;

/** Each client is another user, and each user is always sent to the same backend. */
const keepsKeys =
  (askAs: (user: string) => Asked): Check =>
  (balance) =>
    balance({ count: 3 }, async ({ shares, apply, running }) => {
      const homes = async (): Promise<readonly number[]> => {
        const found: number[] = [];
        for (let user = 0; user < 60; user += 1) {
          const counts = await shares(() => askAs(`user-${user}`), 2);
          found.push(counts.indexOf(2));
        }
        return found;
      };
      const before = await homes();
      assert.ok(!before.includes(-1), "two requests of one user went to two backends");
      assert.ok(new Set(before).size > 1, "all users went to one backend");
      if (running.parts?.some(({ name }) => name === "backend-1") !== true) return;
      await apply("backend-1", "drain");
      const after = await homes();
      const stayed = before.filter((home, user) => home === 0 || home === after[user]).length;
      // By the rest of a division half of the users of the others would move.
      assert.ok(
        stayed >= before.length * 0.8,
        `only ${stayed} of ${before.length} users were sent where they were before`,
      );
    });

/** Of many requests, those that an idle backend gets while another one has a request to do. */
const idleShare =
  (check: (share: number) => void): Check =>
  (balance) =>
    balance({}, async ({ running, backends, shares }) => {
      const held = requestOnce(new URL("/hold", running.url));
      const busy = await untilSome(() => backends.find((backend) => backend.held() === 1));
      const counts = await shares(undefined, MANY);
      check((counts[backends.indexOf(busy) === 0 ? 1 : 0] ?? 0) / MANY);
      busy.release();
      assert.equal((await held).body, "released");
    });

const within = (low: number, high: number) => (share: number) =>
  assert.ok(share >= low && share <= high, `the idle backend got ${share} of the requests, and not ${low} to ${high}`);

/** How each policy is seen to be what it is called. */
const POLICIES: Readonly<Record<string, Check>> = {
  "round-robin": async (balance) => {
    await balance({ count: 3 }, async ({ shares }) => assert.deepEqual(await shares(), [4, 4, 4]));
    await balance({ count: 3, options: { workers: 2 } }, async ({ shares }) => {
      const counts = await shares();
      // Each worker may take turns by itself.
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, `shares of ${REQUESTS}: ${counts.join(", ")}`);
    });
  },
  "weighted-round-robin": (balance) =>
    balance({ count: 3, weights: [3, 2, 1] }, async ({ shares }) => assert.deepEqual(await shares(), [6, 4, 2])),
  "least-connections": idleShare(within(1, 1)),
  random: idleShare(within(0.375, 0.625)),
  // Of one and the same drawn twice, or of two: three quarters, or all.
  "power-of-two-choices": idleShare(within(0.64, 1)),
  "ip-hash": (balance) => balance({ count: 3 }, async ({ shares }) => assert.equal(used(await shares()), 1)),
  "consistent-hash": keepsKeys((user) => ({ path: `/${user}?${Math.random()}` })),
  "consistent-hash:header": keepsKeys((user) => ({ headers: { "x-user": user } })),
  "consistent-hash:cookie": keepsKeys((user) => ({ headers: { cookie: `other=1; user=${user}` } })),
};

const countOf = async ({ backends }: RunningServer): Promise<readonly number[]> =>
  Object.values((await backends?.()) ?? {}).map(({ requests }) => requests);

/** Has so many requests under way at one time, and ends them. */
async function holdAtOnce(url: string, backend: ObservedBackend | undefined, count: number): Promise<void> {
  const asked = Array.from({ length: count }, () => requestOnce(new URL("/hold", url)));
  await untilSome(() => (backend?.held() === count ? true : undefined));
  for (let index = 0; index < count; index += 1) backend?.release();
  for (const one of asked) assert.equal((await one).status, 200);
}

/** Resolves with what is found at last; rejects where that takes too long. */
async function untilSome<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    assert.ok(performance.now() < endMs, `nothing was seen within ${PATIENCE_MS} ms`);
    await wait(5);
  }
}

/** Sends one GET over TLS, with one certificate that is trusted, by HTTP/1.1. */
async function secureOnce(url: string, ca: string | undefined) {
  const offered: RequestOptions & ConnectionOptions = { agent: false, ALPNProtocols: ["http/1.1"], ...defined({ ca }) };
  const asked = secureRequest(url, offered);
  const [answer] = (await once(asked.end(), "response")) as [IncomingMessage];
  const { alpnProtocol } = answer.socket as TLSSocket;
  await text(answer);
  return { status: answer.statusCode, protocol: alpnProtocol };
}

/** The same by HTTP/2, of prior knowledge without TLS. */
async function http2Once(url: string, ca?: string) {
  const session = connect(url, defined({ ca }));
  try {
    await once(session, "connect");
    const stream = session.request({ ":path": "/" });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    await text(stream);
    return { status: headers[":status"], protocol: session.alpnProtocol };
  } finally {
    session.close();
  }
}
