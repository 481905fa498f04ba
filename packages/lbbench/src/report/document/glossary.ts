import type { Inlines } from "./block.js";
import { code, list, strong } from "./blocks.js";
import type { Section } from "./section.js";

const CONNECTIONS: Inlines = [
  strong("Connections"),
  ": so many requests are under way at any time; each connection sends its next one when the last is answered.",
];

const USERS: Inlines = [
  strong("Users"),
  " come one after the other, or in steps; each has a connection, and sends its next request when the last is answered. A second is counted from the start of the load, from 0.",
];

/** A few words that the tables need. */
export const glossary: Section = ({ scenario }) => ({
  id: "glossary",
  title: "How to read this",
  blocks: list([
    [strong("Requests/s"), " (throughput) counts ok responses only: complete, with an expected status and body."],
    [
      strong("Latency"),
      " is of ok responses, from sending a request to the last byte of its answer; failed requests are never mixed in. p99 is the time within which 99 % of them were answered.",
    ],
    scenario.ramp === null ? CONNECTIONS : USERS,
    [
      strong("Failed"),
      " adds up all classes: unexpected status, wrong body, no connection, reset, dropped (closed without a complete answer), timed out. Requests still open when a timed run ends are in flight, not failed; shares of failed requests are of all others.",
    ],
    [strong("Received"), " is everything read from the sockets, head and body."],
    [
      strong("Bottleneck"),
      " is the part that was busy to its limit (a process from 90 % of the processor time that it can use, all cores together or an event loop from 95 % on): generator, balancer, backend, the whole machine, or none. A dash means that the processes of the server were not seen. Where it is the generator, the target may carry more than the throughput shows; where that was busy all the time (95 %), a warning says that the figures are its own.",
    ],
    [
      strong("Faster"),
      " and ",
      strong("slower"),
      " are said only where trials differ by more than noise would explain (5 % level, corrected for the number of levels); else ",
      code("~"),
      ". With too few trials for any difference to show, ",
      code("~"),
      " says nothing.",
    ],
  ]),
});
