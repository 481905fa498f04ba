/** The header `Server-Timing` of answers: how it is read, and what is recorded of it. */
import { Latencies, type LatencyRecord } from "./latencies.js";

/** Durations that a header tells, in ms. */
export interface ToldTimes {
  /** Of the backend; absent where only balancers tell theirs. */
  readonly backend?: number | undefined;
  /** Of balancers of `@lbbench/proxy`: waiting for a slot, connecting to the backend, and all from the request's head to the answer's. */
  readonly balancer?: { readonly queue: number; readonly connect: number; readonly total: number } | undefined;
}

/** A longer header is refused, and so is a longer time than a day: no request is measured for so long. */
const LONGEST = { characters: 4096, ms: 86_400_000 };

/** The entry by which the sample servers tell their time. Where there is none, the longest is taken: others are mostly parts of it. */
const BACKEND = "app";
/** The entries of our balancer. */
const TOTAL = "lb";
const QUEUE = "lb-queue";
const CONNECT = "lb-connect";

const TOKEN = "[-!#$%&'*+.^_`|~\\dA-Za-z]+";
const QUOTED = String.raw`"(?:[\t !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t -~\x80-\xff])*"`;
const NAME = new RegExp(TOKEN, "y");
const PARAMETER = new RegExp(`[\\t ]*;[\\t ]*(${TOKEN})[\\t ]*=[\\t ]*(${TOKEN}|${QUOTED})`, "y");
const BLANKS = /[\t ]*/y;
const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/**
 * Reads the value of the header, or of several joined by commas: strictly by its grammar (W3C, Server Timing, "The Server-Timing Header Field").
 * Returns `undefined` for anything else. Of a repeated parameter the first counts, as W3C has it.
 */
export function readServerTiming(text: string): ToldTimes | undefined {
  if (text.length > LONGEST.characters) return undefined;
  let app: number | undefined;
  let longest: number | undefined;
  let total: number | undefined;
  let [queue, connect] = [0, 0];
  let at = 0;
  for (;;) {
    at = behind(BLANKS, text, at);
    if (at === text.length) break;
    // Lists may have empty elements (RFC 9110, 5.6.1.2).
    if (text[at] === ",") {
      at += 1;
      continue;
    }
    const nameEnd = behind(NAME, text, at);
    if (nameEnd === at) return undefined;
    const name = text.slice(at, nameEnd);
    at = nameEnd;
    let ms: number | undefined;
    for (;;) {
      PARAMETER.lastIndex = at;
      const parameter = PARAMETER.exec(text);
      if (parameter === null) break;
      at = PARAMETER.lastIndex;
      const [, key = "", value = ""] = parameter;
      if (ms !== undefined || key.toLowerCase() !== "dur") continue;
      ms = durationOf(value);
      if (ms === undefined) return undefined;
    }
    at = behind(BLANKS, text, at);
    if (at < text.length && text[at] !== ",") return undefined;
    if (ms === undefined) continue;
    // A request may go through several balancers: the longest total is that of the first of them.
    if (name === TOTAL) total = Math.max(total ?? 0, ms);
    else if (name === QUEUE) queue += ms;
    else if (name === CONNECT) connect += ms;
    else {
      if (name === BACKEND) app ??= ms;
      longest = Math.max(longest ?? 0, ms);
    }
  }
  return {
    backend: app ?? longest,
    balancer: total === undefined ? undefined : { queue, connect, total },
  };
}

function behind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function durationOf(value: string): number | undefined {
  const text = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value;
  const ms = NUMBER.test(text) ? Number(text) : NaN;
  return ms <= LONGEST.ms ? ms : undefined;
}

/** What is recorded: times of ok requests whose answers told that of the backend. The three first add up to their latency. */
export const SERVER_TIMES = ["generator", "added", "backend", "queue", "connect", "total"] as const;

/** Answers by what they told: the time of the backend, nothing of it, or something that is no `Server-Timing`. */
const NOTHING_TOLD = {
  told: 0,
  untold: 0,
  malformed: 0,
  /** Those of `told` that said a longer time than they took; nothing was added to them. */
  negative: 0,
};

/** What a generator recorded of the times that answers told. */
export interface ServerTimesRecord {
  readonly counts: Readonly<typeof NOTHING_TOLD>;
  /** Of what occurred. */
  readonly latencies: Readonly<Partial<Record<(typeof SERVER_TIMES)[number], LatencyRecord>>>;
}

/** Splits the latencies of ok requests by what their answers tell. */
export class ServerTimes {
  readonly #counts = { ...NOTHING_TOLD };
  readonly #times = Object.fromEntries(SERVER_TIMES.map((part) => [part, new Latencies(0)])) as Record<
    (typeof SERVER_TIMES)[number],
    Latencies
  >;

  /**
   * Enters a request.
   *
   * @param header what its answer says; `undefined` without a header.
   * @param tookUs from when it left to the last byte of its answer, in microseconds.
   * @param lateUs by how much it left later than it should have.
   */
  add(header: string | undefined, tookUs: number, lateUs: number): void {
    const counts = this.#counts;
    const told = header === undefined ? {} : readServerTiming(header);
    if (told === undefined) counts.malformed += 1;
    else if (told.backend === undefined) counts.untold += 1;
    else {
      const backendUs = told.backend * 1000;
      counts.told += 1;
      if (backendUs > tookUs) counts.negative += 1;
      this.#times.generator.add(lateUs);
      this.#times.backend.add(backendUs);
      this.#times.added.add(Math.max(0, tookUs - backendUs));
    }
    if (told?.balancer === undefined) return;
    const { queue, connect, total } = told.balancer;
    this.#times.queue.add(queue * 1000);
    this.#times.connect.add(connect * 1000);
    this.#times.total.add(total * 1000);
  }

  finish(): ServerTimesRecord {
    const times = Object.entries(this.#times).filter(([, { count }]) => count > 0);
    return { counts: this.#counts, latencies: Object.fromEntries(times.map(([part, one]) => [part, one.finish()])) };
  }
}
