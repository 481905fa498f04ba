const FENCE = /^ {0,3}(`{3,})/;

/** Returns as many whole lines of Markdown from the first as `fits` takes, and no block of code without its end. */
export function cutLines(markdown: string, fits: (text: string) => boolean): string {
  const lines = markdown.split("\n");
  const ends = lineEnds(lines);
  let [fitting, tooMany] = [0, ends.length];
  // What is longer never fits where what is shorter does not.
  while (fitting < tooMany) {
    const middle = Math.ceil((fitting + tooMany) / 2);
    if (fits(lines.slice(0, ends[middle - 1]).join("\n"))) fitting = middle;
    else tooMany = middle - 1;
  }
  return fitting === 0
    ? ""
    : lines
        .slice(0, ends[fitting - 1])
        .join("\n")
        .trim();
}

/** Numbers of lines after which no block of code is open. */
function lineEnds(lines: readonly string[]): readonly number[] {
  let fence: string | undefined;
  return lines.flatMap((line, at) => {
    const [, ticks] = FENCE.exec(line) ?? [];
    if (fence === undefined) fence = ticks;
    else if (ticks !== undefined && ticks.length >= fence.length && line.trim() === ticks) fence = undefined;
    return fence === undefined ? [at + 1] : [];
  });
}
