import type { Socket } from "node:net";

/** Knows which jobs came over which connection. */
export interface ConnectionJobs<Job> {
  readonly add: (connection: Socket, job: Job) => void;
  readonly remove: (connection: Socket, job: Job) => void;
  /** All jobs there are. */
  readonly all: () => readonly Job[];
}

/**
 * Calls `onLeft` for each job whose connection closes. One listener for each connection and not for each job, because a
 * connection is kept for many, and a client may send several at once: of those only the first has a response that would
 * tell.
 */
export function watchConnections<Job>(onLeft: (job: Job) => void): ConnectionJobs<Job> {
  const jobsOf = new Map<Socket, Set<Job>>();

  function watch(connection: Socket): Set<Job> {
    const jobs = new Set<Job>();
    jobsOf.set(connection, jobs);
    connection.once("close", () => {
      jobsOf.delete(connection);
      for (const job of jobs) onLeft(job);
    });
    return jobs;
  }

  return {
    add: (connection, job) => void (jobsOf.get(connection) ?? watch(connection)).add(job),
    remove: (connection, job) => void jobsOf.get(connection)?.delete(job),
    all: () => [...jobsOf.values()].flatMap((jobs) => [...jobs]),
  };
}
