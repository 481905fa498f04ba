/**
 * Whether a terminal breaks lines anew when it gets narrower, as nearly all do now; xterm itself, st, GNU screen and the Linux console
 * cut them. To draw over what was drawn one has to know, and a terminal cannot be asked without taking what is typed into it.
 */
export function doesReflow(env: Readonly<Record<string, string | undefined>>): boolean {
  // What was started in tmux may know of the terminal around it.
  if (env["TMUX"] !== undefined) return true;
  const { TERM: term = "", STY: screen, XTERM_VERSION: xterm } = env;
  return screen === undefined && xterm === undefined && !/^(linux|st|screen)($|[-.])/.test(term);
}
