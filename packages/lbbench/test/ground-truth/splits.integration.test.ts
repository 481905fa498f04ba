import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { LOCALHOST, LOCALHOST_FILES } from "@lbbench/test-support/certificates.js";
import { createChildPool } from "../../src/system/fork.js";
import { answer, breakOff, chunked, type Action } from "../../src/testing/ground-truth/action.js";
import { ANSWERING, type Case } from "../../src/testing/ground-truth/cases.js";
import { FRAMINGS, type Verdict } from "./framings.js";
import { expectConservation, expectSameAccounts, expectSameBytes } from "./expect-accounts.js";
import { startTruthServer, type Behaviour } from "../../src/testing/ground-truth/truth-server.js";
import { measure } from "./measure.js";
import { HTTP1_SUBJECTS } from "./subjects.js";

/** More than any answer has bytes that depends on the request. */
const MOST_BYTES = 60;

const SMALL = ANSWERING.filter(([, behaviour]) => bytesOf(behaviour) < 1000);

function bytesOf(behaviour: Case[1]): number {
  return typeof behaviour === "function" ? MOST_BYTES : behaviour.bytes.length;
}

/** Answers as given, each in two packets: cut after its first byte, its second, and so on. */
const splitAtEachByte = (behaviour: Case[1]): Behaviour =>
  changing(behaviour, (action, number) => ({ splitAt: 1 + ((number - 1) % (action.bytes.length - 1)) }));

const byteByByte = (behaviour: Case[1]): Behaviour => changing(behaviour, ({ bytes }) => ({ packets: bytes.length }));

function changing(behaviour: Case[1], change: (action: Action, number: number) => Partial<Action>): Behaviour {
  return (number, ...more) => {
    const action = typeof behaviour === "function" ? behaviour(number, ...more) : behaviour;
    return { ...action, ...change(action, number) };
  };
}

describe.concurrent.each(HTTP1_SUBJECTS)("$name agrees with the server on every byte", (subject) => {
  it.each(SMALL)("of %s, wherever the packets end", async (_, behaviour, load) => {
    for (const [split, requests] of [[splitAtEachByte, bytesOf(behaviour)] as const, [byteByByte, 4] as const]) {
      const server = startTruthServer(split(behaviour));
      const { measurement, log } = await measure(subject, server, { connections: 4, requests }, load);
      expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
      expectSameAccounts(measurement, log);
      expectSameBytes(measurement, log);
    }
  });

  it.each([
    ["a body with its length", answer()],
    ["a body in chunks", chunked(["hel", "lo"])],
    ["an empty body", answer({ body: "" })],
  ])("of %s that ends too early, at any byte", async (_, { bytes }) => {
    for (const how of ["fin", "rst"] as const) {
      const server = startTruthServer((number) => ({ ...breakOff(how), bytes: bytes.subarray(0, number - 1) }));
      const level = { connections: 4, requests: bytes.length };
      const { measurement, log } = await measure(subject, server, level);
      expectSameAccounts(measurement, log);
    }
  });
});

/** Enough to cut the short ones at each byte. */
const MOST_POSITIONS = 100;

describe.concurrent.each(HTTP1_SUBJECTS)("$name, answered with", (subject) => {
  const isClear = (verdict: Verdict): boolean => verdict !== "strict" || subject.isLenient !== true;
  /** Sends a request for each place to cut the answer, four at a time. */
  const ask = async (text: string, mostRequests: number, timeoutMs?: number) => {
    const bytes = Buffer.from(text, "latin1");
    const requests = Math.min(bytes.length, mostRequests);
    const server = startTruthServer((number) => ({ ...answer(), bytes, splitAt: number % bytes.length }));
    const load = { request: { expectBody: "hello" }, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    const { measurement, log } = await measure(subject, server, { connections: 4, requests }, load);
    expectConservation(measurement);
    expect(measurement.requests.sent).toBe(requests);
    return { ...measurement.requests, served: log.requests, codes: Object.values(measurement.errorCodes) };
  };

  it.each(FRAMINGS.filter(([, verdict]) => isClear(verdict)))(
    "%s: it is %s, wherever the packets end",
    async (_, verdict, text) => {
      const { sent, ok, mismatched, served, codes } = await ask(text, MOST_POSITIONS);
      expect(ok).toBeOneOf({ taken: [sent], refused: [0], strict: [0], either: [0, sent] }[verdict]);
      expect([mismatched, served]).toEqual([sent - ok, sent]);
      // For what the parser says, not for its body.
      expect(codes).toEqual(ok === sent ? [] : [sent]);
    },
  );

  it.each(FRAMINGS.filter(([, verdict]) => !isClear(verdict)))(
    "%s: every request has an outcome",
    async (_, _verdict, text) => {
      const { sent, ok, mismatched, timedOut } = await ask(text, 4, 300);
      expect(ok + mismatched + timedOut).toBe(sent);
    },
  );
});

const VERIFYING = HTTP1_SUBJECTS.filter(({ engine }) => engine.supports.tlsVerification);

describe.each(VERIFYING)("$name agrees with the server over TLS on every byte", (subject) => {
  // Read by the process that sends, when it is started.
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", LOCALHOST_FILES.cert));
  afterAll(() => void vi.unstubAllEnvs());
  const children = createChildPool("generator");
  afterAll(() => children.close());

  it.each(SMALL)("of %s, wherever the records end", async (_, behaviour, load) => {
    const server = startTruthServer(splitAtEachByte(behaviour), { identity: LOCALHOST });
    const requests = bytesOf(behaviour);
    const level = { connections: 4, requests };
    const { measurement, log } = await measure(subject, server, level, load, { children });
    expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
    expectSameAccounts(measurement, log);
    expect(measurement.bytes.body).toBe(log.bodyBytes);
  });
});
