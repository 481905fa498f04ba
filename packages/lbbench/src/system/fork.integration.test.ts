import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { fixture } from "../../test/support/fixture.js";
import { isRunning } from "../testing/contract.js";
import type { Child } from "../model/child.js";
import { ChildDiedError, forkChild } from "./fork.js";

interface Served {
  readonly echo: <T>(value: T) => T;
  readonly fail: () => void;
  readonly never: () => Promise<void>;
  readonly say: (text: string) => void;
  readonly exit: (code: number) => void;
  readonly crash: () => void;
  readonly block: () => void;
  readonly hold: () => void;
  readonly asked: () => "finish" | "quit" | null;
  readonly last: () => Promise<string>;
}

const ENTRY = fixture("served-child.mjs");

describe("forkChild", () => {
  const started: Child<Served>[] = [];
  const start = (): Child<Served> => {
    const child = forkChild<Served>(ENTRY, { name: "sample" });
    started.push(child);
    return child;
  };
  afterEach(async () => {
    await Promise.all(started.splice(0).map((child) => child.stop()));
  });

  it("calls functions of the child, before it has loaded and afterwards, with any data, and passes on what they throw", async () => {
    const { call } = start();
    await expect(call.echo("early")).resolves.toBe("early");
    const data = { big: 2n ** 60n, bytes: new Uint8Array([1, 2]), nothing: undefined };
    await expect(call.echo(data)).resolves.toEqual(data);
    await expect(call.fail()).rejects.toThrow("not like this");
    await expect(Promise.all([1, 2, 3].map((value) => call.echo(value)))).resolves.toEqual([1, 2, 3]);
  });

  it("rejects open calls with the exit code and the last words when the child ends by itself", async () => {
    const child = start();
    await child.call.say("about to go\nfor good");
    const open = child.call.never();
    const leaving = child.call.exit(3);
    await expect(open).rejects.toThrow(
      /"sample" ended unexpectedly with exit code 3; it last printed:\s+about to go\s+for good/,
    );
    await expect(leaving).rejects.toBeInstanceOf(ChildDiedError);
    await expect(child.exited).resolves.toMatchObject({ code: 3, signal: null });
  });

  it("rejects open calls with the reason when the child crashes, or cannot be loaded", async () => {
    const child = start();
    const open = child.call.never();
    await child.call.crash();
    await expect(open).rejects.toThrow(/exit code 1(?:.|\n)*crashed on purpose/);
    const absent = forkChild<Served>(fixture("no-such-file.mjs"), { name: "absent" });
    await expect(absent.call.echo(1)).rejects.toThrow(
      /"absent" ended unexpectedly with exit code 1(?:.|\n)*no-such-file\.mjs/,
    );
  });

  it("stops once, however often it is asked, after the child has cleaned up", async () => {
    const child = start();
    await child.call.echo("ready");
    const open = child.call.never();
    open.catch(() => {});
    await Promise.all([child.stop(), child.stop()]);
    await child.stop();
    await expect(child.exited).resolves.toEqual({ code: 0, signal: null, output: ["cleaned up to quit"] });
    await expect(open).rejects.toBeInstanceOf(ChildDiedError);
    expect(isRunning(child.pid)).toBe(false);
  });

  it("kills a child that does not end when it is asked to, and one that has not finished loading", async () => {
    const loading = start();
    await loading.stop();
    expect(isRunning(loading.pid)).toBe(false);
    const child = start();
    await child.call.echo("ready");
    child.call.block().catch(() => {});
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stopping = child.stop();
    vi.advanceTimersByTime(5000);
    await stopping;
    await expect(child.exited).resolves.toMatchObject({ code: null, signal: "SIGKILL" });
  });

  it("leaves SIGINT to the parent, and ends in order on SIGTERM and SIGHUP", async () => {
    for (const [signal, ending] of [
      ["SIGTERM", "finish"],
      ["SIGHUP", "quit"],
    ] as const) {
      const child = start();
      await child.call.echo("ready");
      const last = child.call.last();
      process.kill(child.pid, "SIGINT");
      await expect(child.call.echo("still here")).resolves.toBe("still here");
      process.kill(child.pid, signal);
      const { code, output } = await child.exited;
      expect(code).toBeGreaterThan(128);
      expect(output).toEqual([`cleaned up to ${ending}`]);
      // Longer than what a pipe holds.
      expect(await last).toHaveLength(1_000_000);
    }
  });

  it("has a child that finishes what is under way quit when it is stopped meanwhile", async () => {
    const child = start();
    await child.call.hold();
    process.kill(child.pid, "SIGTERM");
    await expectSoon(() => child.call.asked()).toBe("finish");
    await child.stop();
    const output = ["cleaned up to finish", "cleaned up to quit"];
    await expect(child.exited).resolves.toEqual({ code: 0, signal: null, output });
  });
});
