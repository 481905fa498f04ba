import { parseArgsStringToArgv } from "string-argv";

/** Whether a word of a command means something to a shell alone: `&&`, `|`, `>log`. */
export function isShellWord(word: string): boolean {
  return /^(&&?|\|\|?|;|\d?>{1,2}(&\d)?.*|<.*)$/.test(word) || (word.endsWith(";") && word.length > 1);
}

/**
 * The word of a command line that a shell would put something else in place of, and that is not in quotes against it: a variable, the output of
 * another command, names of files; a line break as well. `undefined` where there is none.
 */
export function findExpansion(line: string): string | undefined {
  const bare = line.replaceAll(/'[^']*'|"[^"]*"/g, (quoted) =>
    quoted.startsWith("'") ? quoted.replaceAll(/[$`*?]/g, "_") : quoted.replaceAll(/[*?]/g, "_"),
  );
  return /[^\s]*(?:[$`*?]|\p{Cc})[^\s]*/u.exec(bare)?.[0];
}

/** What is wrong with a command that is run without a shell; `undefined` for one that can be run. */
export function checkCommand(command: string): string | undefined {
  const [program, ...words] = parseArgsStringToArgv(command);
  if (program === undefined) return 'expected a program and its arguments, such as "node server.js"';
  const word = words.find(isShellWord);
  if (word !== undefined) {
    return `expected a program and its arguments, got "${word}" among them, which only a shell understands: make it a script of package.json, and give "npm run NAME"`;
  }
  const expansion = findExpansion(command);
  if (expansion !== undefined) {
    return `expected a program and its arguments, got ${JSON.stringify(expansion)} among them, for which only a shell puts in something else: make it a script of package.json, and give "npm run NAME"; or put it in single quotes where it is meant as it stands`;
  }
  if (/^\w+=/.test(program)) {
    return `expected a program and its arguments, got "${program}" first: the environment goes into the option env of the target, in the config`;
  }
  return undefined;
}
