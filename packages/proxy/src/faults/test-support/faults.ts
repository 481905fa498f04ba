import type { BackendProcess } from "./start-backend-process.js";

/** Something that happens to a backend, and how it passes. */
export interface Fault {
  readonly begin: (backend: BackendProcess) => Promise<void> | void;
  readonly end: (backend: BackendProcess) => Promise<void> | void;
  /** Statuses by which clients are surely told of requests that were lost and not sent again. */
  readonly toldAs: readonly ("502" | "504")[];
}

/** All that is made to happen, as in `it.each`. */
export const FAULTS: readonly (readonly [what: string, fault: Fault])[] = [
  ["is killed", { begin: (backend) => backend.kill(), end: (backend) => backend.start(), toldAs: ["502"] }],
  ["hangs", { begin: (backend) => backend.hang(), end: (backend) => backend.goOn(), toldAs: ["504"] }],
  [
    "closes its listener",
    { begin: (backend) => backend.stopListening(), end: (backend) => backend.listen(), toldAs: [] },
  ],
];
