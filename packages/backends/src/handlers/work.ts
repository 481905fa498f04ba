/** What the work for one request needs to know; plain data, which can be sent to another thread. */
export interface Task {
  /** What was drawn for it. */
  readonly drawn: number;
  /** Type and bytes of what the request carried; only for work that uses them. */
  readonly contentType?: string;
  readonly body?: Uint8Array;
}

/** An answer as plain data, which can be sent to another thread. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

/**
 * What one kind of handler does for its requests, apart from how they come and how they are answered: the same in the
 * thread of a plain server and in one of a pool.
 */
export interface Work {
  /** Whether it needs what the requests carry; otherwise that is thrown away. */
  readonly usesBody: boolean;
  /**
   * What is different from one request to the next, such as a delay; what the number means is the work's affair. Called
   * once for each request, in their order and in one place, so that the same requests get the same, whoever works.
   */
  readonly draw: () => number;
  /** Does the work and then hands over the answer. Whoever does it has no time for another request until then. */
  readonly perform: (task: Task, done: (answer: Answer) => void) => void;
}

/** For work that is always the same. */
export const drawNothing = (): number => 0;
