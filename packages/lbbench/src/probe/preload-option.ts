/**
 * Adds a module to those that NODE_OPTIONS preloads, after what is there already.
 *
 * @param options what NODE_OPTIONS is so far.
 * @param module absolute path; may contain anything.
 */
export function addPreload(options: string | undefined, module: string): string {
  const option = `--require=${/[\s"\\]/.test(module) ? quote(module) : module}`;
  const present = options?.trim() ?? "";
  if (present === "") return option;
  return present.includes(option) ? present : `${present} ${option}`;
}

/** As Node reads NODE_OPTIONS: within double quotes a backslash takes the next character as it is. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
