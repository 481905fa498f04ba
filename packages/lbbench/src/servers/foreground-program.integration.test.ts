import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createServerContext } from "../run/server-context.js";
import { startForegroundProgram, type ForegroundProgram, type ForegroundServer } from "./foreground-program.js";
import { waitUntilAnswers } from "./wait-until-answers.js";

const SERVES = `require("node:http").createServer((_, response) => response.end("own")).listen(process.env.PORT)`;
/** Ends with an error as soon as somebody else listens at its port, as a program does that finds it in use. */
const FINDS_IT_TAKEN = `
  (function look() {
    const socket = require("node:net").connect(process.env.PORT, "127.0.0.1");
    socket.on("connect", () => process.exit(1)).on("error", () => setImmediate(look));
  })();
`;

describe("a program that is given a free port", () => {
  const others: net.Server[] = [];
  let running: ForegroundServer | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    for (const other of others.splice(0)) other.close();
  });

  /** Listens in the turn in which it is called. */
  function takePort(port: number): void {
    others.push(net.createServer((socket) => socket.destroy()).listen(port));
  }

  function program(port: number, script: string, more: Partial<ForegroundProgram> = {}): ForegroundProgram {
    const url = new URL(`http://127.0.0.1:${port}`);
    return {
      title: "the program",
      command: { argv: [process.execPath, "-e", script], env: { PORT: String(port) }, cwd: "." },
      url,
      watched: { name: "program", role: "backend" },
      shortName: "program",
      readyTimeoutMs: 20_000,
      waitUntilReady: (signal) => waitUntilAnswers(url, signal),
      slowAdvice: "",
      explainRunError: (message) => message,
      ...more,
    };
  }

  const start = async (describeIt: (port: number) => ForegroundProgram): Promise<ForegroundServer> => {
    const context = createServerContext({ servers: new Map(), folder: ".", env: {} }, new AbortController().signal);
    return (running = await startForegroundProgram(0, describeIt, context));
  };

  it.each([
    [
      "before it is started",
      (port: number) => {
        takePort(port);
        return program(port, SERVES);
      },
    ],
    [
      "while it starts",
      (port: number) =>
        program(port, FINDS_IT_TAKEN, {
          waitUntilReady: () => {
            takePort(port);
            return new Promise(() => {});
          },
        }),
    ],
  ])("is given another one when that is taken %s", async (_, taken) => {
    const ports: number[] = [];
    const { url } = await start((port) => {
      ports.push(port);
      return ports.length === 1 ? taken(port) : program(port, SERVES);
    });
    expect(new Set(ports).size).toBe(2);
    expect(new URL(url).port).toBe(String(ports[1]));
    expect(await (await fetch(url)).text()).toBe("own");
  });
});
