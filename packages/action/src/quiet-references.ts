/** Parts a sign from what follows it, and nobody sees it. */
const PARTED = "\u200B";
const FENCE = /^ {0,3}(`{3,})/;

/** What GitHub takes for another issue or pull request: `#12`, `owner/name#12`, `GH-12`; not `&#39;`, which is a character. */
const NUMBER = /(?<!&)#(?=\d)|\bGH\\?-(?=\d)/gi;

/**
 * Returns Markdown in which no name calls anybody and no number leads to another issue, whatever it quotes. In blocks of code numbers
 * are no references, and colours of charts look like some.
 */
export function quietReferences(markdown: string): string {
  let fence: string | undefined;
  return markdown
    .split("\n")
    .map((line) => {
      const [, ticks] = FENCE.exec(line) ?? [];
      const isCode = fence !== undefined;
      if (fence === undefined) fence = ticks;
      else if (ticks !== undefined && ticks.length >= fence.length && line.trim() === ticks) fence = undefined;
      const calm = line.replaceAll(/@(?=[\w-])/g, `@${PARTED}`);
      return isCode ? calm : calm.replaceAll(NUMBER, (sign) => `${sign}${PARTED}`);
    })
    .join("\n");
}
