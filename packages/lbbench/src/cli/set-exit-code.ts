/** Called with the exit code of a command that came to its end. */
export type SetExitCode = (code: number) => void;
