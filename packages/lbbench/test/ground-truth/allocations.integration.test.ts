import { once } from "node:events";
import { Session, type Runtime } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { prepareClients } from "../../src/engines/clients.js";
import { LoadRun } from "../../src/engines/load-run.js";
import { Recorder } from "../../src/engines/recorder.js";
import { answer, chunked, type Action } from "../../src/testing/ground-truth/action.js";
import { aLoad, type LoadOptions } from "./measure.js";

// Optimized code makes several at a time, which would be told as one.
for (const flag of ["--no-opt", "--no-maglev"]) setFlagsFromString(flag);

const REQUESTS = 1000;
const CONNECTIONS = 4;

/** A thread, since it makes objects: gives the same answer to every request. */
const SERVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const server = require("node:net").createServer((socket) => {
    socket.on("data", () => socket.write(workerData)).on("error", () => {});
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;

/** The same over HTTP/2. */
const HTTP2_SERVER = `
  const { parentPort } = require("node:worker_threads");
  const server = require("node:http2").createServer();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200 });
    stream.end("hello");
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;

async function serve(server: string, bytes?: Action["bytes"]): Promise<string> {
  const thread = new Worker(server, { eval: true, workerData: bytes });
  onTestFinished(() => void thread.terminate());
  const [port] = (await once(thread, "message")) as [number];
  return `http://127.0.0.1:${port}/`;
}

/** What the profiler tells; the types of Node leave parts of it out. */
interface Profile {
  readonly head: ProfileNode;
  readonly samples: readonly { readonly size: number; readonly nodeId: number }[];
}

/** A function, as it was called on one way. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: Runtime.CallFrame;
  readonly children: readonly ProfileNode[];
}

/** Tells all that this thread makes until what it returns is called. */
async function watchAllocations(): Promise<() => Promise<Profile>> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    // Bytes: none is left out.
    samplingInterval: 1,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  return async () => {
    const { profile } = await session.post("HeapProfiler.stopSampling");
    session.disconnect();
    return profile as unknown as Profile;
  };
}

/** A number that is no small integer; the least object is larger. */
const NUMBER_BYTES = 16;
const EXEMPT: ReadonlySet<string> = new Set([
  // What Node makes by itself in each turn of the event loop.
  "(V8 API) ",
  // Their arguments make a list, unless they are optimized.
  "compare node:buffer",
  "wrappedFn node:internal/errors",
]);

/** Which functions made an object for each request, and how many. */
function makersOf({ head, samples }: Profile): readonly string[] {
  const objects = new Map<number, number>();
  for (const { size, nodeId } of samples) {
    if (size > NUMBER_BYTES) objects.set(nodeId, (objects.get(nodeId) ?? 0) + 1);
  }
  const makers = (node: ProfileNode): string[] => {
    const { functionName, url, lineNumber } = node.callFrame;
    if (EXEMPT.has(`${functionName} ${url}`)) return [];
    const each = Math.round((objects.get(node.id) ?? 0) / REQUESTS);
    return [...(each > 0 ? [`${functionName} ${url}:${lineNumber}: ${each}`] : []), ...node.children.flatMap(makers)];
  };
  return makers(head);
}

/** Lets the engine `wire` send to a server, and tells which functions made an object for each request. */
async function makersOfRun(url: string, options: LoadOptions): Promise<readonly string[]> {
  const load = aLoad(url, { connections: CONNECTIONS, requests: REQUESTS }, { options: { streams: 1 }, ...options });
  const run = new LoadRun(new Recorder({ mergeable: false }), REQUESTS);
  const clients = await prepareClients({ ...load, engine: "wire", folder: ".", place: { index: 0, of: 1 } }, run);
  const stop = await watchAllocations();
  run.start(0);
  await run.ended;
  const profile = await stop();
  await clients.stop();
  expect(run.recorder.progress()).toEqual({ sent: REQUESTS, done: REQUESTS, failed: 0 });
  // It has seen what there is.
  expect(profile.samples.length).toBeGreaterThan(REQUESTS);
  return makersOf(profile);
}

it.each<[string, Action, LoadOptions["request"]?]>([
  ["a length", answer()],
  ["chunks", chunked(["hel", "lo"])],
  ["a body that is compared", answer(), { method: "POST", body: "b", expectBody: "hello" }],
])(
  "the engine wire makes no object for a request of a connection that is kept, answered with %s",
  async (_, { bytes }, request = {}) => {
    expect(await makersOfRun(await serve(SERVER, bytes), { request })).toEqual([]);
  },
);

it("the engine wire makes nothing for a request over HTTP/2 but its stream", async () => {
  const url = await serve(HTTP2_SERVER);
  const makers = await makersOfRun(url, {
    options: { streams: 2 },
    httpVersion: "2",
    request: { expectBody: "hello" },
  });
  const ours = makers.filter((maker) => maker.includes("/src/engines/"));
  expect(ours).toEqual([expect.stringMatching(/^RequestStream .*: 1$/)]);
});
