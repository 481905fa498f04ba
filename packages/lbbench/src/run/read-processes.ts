import pidusage from "pidusage";

/** What the system says of a process. */
export interface ProcessReading {
  /** Processor time since the process started, in ms, counted in ticks of about 10 ms. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** Reads processes, by pid; those that are not there are left out. Never rejects. */
export async function readProcesses(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>> {
  // A process that could not be started has no pid; one bad pid would fail the whole reading.
  const wanted = pids.filter((pid) => pid > 0);
  try {
    // Not followed by `pidusage.clear()`, which forgets the descriptors it keeps open without closing them; they are
    // closed when they have not been used for a minute.
    const found: Readonly<Record<number, pidusage.Status | undefined>> = await pidusage(wanted);
    return new Map(
      wanted.flatMap((pid) => {
        const reading = found[pid];
        return reading === undefined ? [] : [[pid, { cpuMs: reading.ctime, rssBytes: reading.memory }]];
      }),
    );
  } catch {
    return new Map();
  }
}
