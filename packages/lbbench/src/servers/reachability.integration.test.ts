import { describe, expect, it } from "vitest";
import { occupyPort } from "./test-support/occupied-port.js";
import { waitUntilAnswers } from "./wait-until-answers.js";
import { connectOnce } from "./connect-once.js";
import { findFreePort } from "./free-port.js";

describe("waitUntilAnswers", () => {
  it("gives up when it is aborted in front of a server that accepts and never answers", async () => {
    const { port, free } = await occupyPort();
    const controller = new AbortController();
    const waiting = waitUntilAnswers(new URL(`http://127.0.0.1:${port}/`), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow("aborted");
    await free();
  });
});

describe("connectOnce", () => {
  it("rejects with the reason of a signal that was aborted before", async () => {
    const reason = new Error("enough");
    await expect(connectOnce(new URL("http://127.0.0.1:1/"), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("connects to an IPv6 address in brackets or says why not", async () => {
    await expect(connectOnce(new URL("http://[::1]:1/"), new AbortController().signal)).rejects.toThrow(/^connect E/);
  });
});

describe("findFreePort", () => {
  it("gives every port once until it is released", async () => {
    const found = await Promise.all(Array.from({ length: 50 }, findFreePort));
    expect(new Set(found.map(({ port }) => port)).size).toBe(50);
    for (const { release } of found) release();
  });
});
