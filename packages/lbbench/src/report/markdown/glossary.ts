import type { Section } from "./section.js";

const TERMS = [
  "**Requests/s** (throughput) counts ok responses only: complete, with an expected status and body.",
  "**Latency** is of ok responses, from sending a request to the last byte of its answer; failed requests are never mixed in. p99 is the time within which 99 % of them were answered.",
  "**Connections**: so many requests are under way at any time; each connection sends its next one when the last is answered.",
  "**Failed** adds up all classes: unexpected status, wrong body, no connection, reset, dropped (closed without a complete answer), timed out. Requests still open when a timed run ends are in flight, not failed.",
  "**Received** is everything read from the sockets, head and body.",
  "**Bottleneck** is the part that was busy to its limit: generator, balancer, backend, the whole machine, or none. Where it is the generator, the throughput says nothing about the target.",
  "**Faster** and **slower** are said only where trials differ by more than noise would explain (5 % level, corrected for the number of levels); else `~`. With too few trials for any difference to show, `~` says nothing.",
];

const USERS =
  "**Users** come one after the other, or in steps; each has a connection, and sends its next request when the last is answered. A second is counted from the start of the load, from 0.";

/** A few words that the tables need. */
export const glossary: Section = ({ scenario }) => {
  const terms =
    scenario.ramp === null ? TERMS : TERMS.map((term) => (term.startsWith("**Connections**") ? USERS : term));
  return ["## How to read this", terms.map((term) => `- ${term}`).join("\n")];
};
