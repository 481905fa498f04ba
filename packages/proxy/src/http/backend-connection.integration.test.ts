import { expect, it, onTestFinished } from "vitest";
import { AnswerHead, createDeadlines, findDirectAccess } from "@lbbench/wire";
import { type ResolvedBackend, resolveOptions } from "../options/resolve-options.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startRawBackend } from "../test-support/servers.js";
import { plainAnswer } from "../test-support/wire.js";
import { WireLink } from "./backend-connection.js";
import type { HttpContext } from "./context.js";
import type { Asker, Attempt } from "./link.js";

const LATE = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/** A link to a backend that answers each request with its number. */
async function startLink(sockets: "direct" | "public") {
  let requests = 0;
  const backend = await startRawBackend((socket) => {
    socket.on("data", () => socket.write(plainAnswer(`answer ${++requests}`))).on("end", () => socket.end());
  });
  const options = resolveOptions({ backends: [{ url: backend.url }] });
  const deadlines = createDeadlines(1000);
  const access = sockets === "direct" ? await findDirectAccess() : undefined;
  const answerHead = new AnswerHead({ headBytes: 16_384 });
  const context = { options, deadlines, access, answerHead } as HttpContext;
  const link = new WireLink(context, options.backends[0] as ResolvedBackend);
  onTestFinished(async () => {
    await link.close();
    deadlines.stop();
  });
  /** Sends a request, whose client takes nothing of the answer before the attempt is released. */
  const ask = () => {
    const seen = {
      status: 0,
      ended: false,
      piece: Buffer.alloc(0) as Buffer,
      attempt: undefined as Attempt | undefined,
    };
    const onConnected = (): void => {
      seen.attempt?.start(undefined);
      seen.attempt?.endBody("");
    };
    const asker: Partial<Asker> = {
      upgrade: "",
      onConnected,
      openAnswer: ({ status, contentLength }, _bytes, end, body) => {
        seen.status = status;
        body?.beginLength(contentLength);
        return end;
      },
      write: (piece) => {
        seen.piece = piece;
        return false;
      },
      endAnswer: () => void (seen.ended = true),
      lose: () => undefined,
    };
    seen.attempt = link.send(asker as Asker, Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), false);
    if (seen.attempt.isConnected) onConnected();
    return seen;
  };
  return { backend, ask };
}

it.each(["direct", "public"] as const)("what comes behind an answer under way goes to nobody: %s", async (sockets) => {
  const { backend, ask } = await startLink(sockets);
  const first = ask();
  await expectSoon(() => first.ended).toBe(true);
  await new Promise((resolve) => backend.open()[0]?.write(LATE, resolve));
  // Another one has been answered by then, and so this would have been read.
  const meanwhile = ask();
  await expectSoon(() => meanwhile.ended).toBe(true);
  expect(first.piece.toString()).toBe("answer 1");

  first.attempt?.release(true);
  const next = ask();
  await expectSoon(() => next.ended).toBe(true);
  expect([next.status, next.piece.toString()]).toEqual([200, "answer 3"]);
  await expectSoon(() => backend.open().length).toBe(2);
});

it("a connection whose last piece was under way is used again if its backend said nothing more", async () => {
  const { backend, ask } = await startLink("direct");
  for (const text of ["answer 1", "answer 2", "answer 3"]) {
    const one = ask();
    await expectSoon(() => one.ended).toBe(true);
    expect(one.piece.toString()).toBe(text);
    one.attempt?.release(true);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(backend.connections()).toBe(1);
});
