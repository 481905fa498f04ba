const BEGIN = "<!-- lbbench report ";
const END = / run (\d+) -->$/;

/**
 * Returns the first line of a comment, which is not shown, and by which it is found again.
 *
 * @param key tells the comments of several uses apart; it cannot end the line.
 * @param run number of the run of the workflow, which later ones exceed.
 */
export function commentMark(key: string, run: number): string {
  return `${begin(key)} run ${run} -->`;
}

/** Returns the number of the run that wrote a comment with the mark of this key; `undefined` of any other comment. */
export function readMark(body: string, key: string): number | undefined {
  const [line = ""] = body.split(/\r?\n/, 1);
  const [end, run] = END.exec(line) ?? [];
  return end !== undefined && line === `${begin(key)}${end}` ? Number(run) : undefined;
}

function begin(key: string): string {
  return `${BEGIN}${encodeURIComponent(key).replaceAll("-", "%2D")}`;
}
