/** What the command line says with its exit code. */
export const ExitCode = Object.freeze({
  pass: 0,
  /** A threshold or a comparison failed. */
  fail: 1,
  /** Usage or configuration. */
  usage: 2,
  /** The numbers cannot be trusted. */
  inconclusive: 3,
  /** A target could not be started or reached. */
  unreachable: 4,
  /** A defect of lbbench itself; the code that sysexits.h has for it. */
  bug: 70,
  interrupted: 130,
});
