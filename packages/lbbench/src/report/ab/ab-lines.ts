const LABEL_WIDTH = 24;

/** Returns a line of ApacheBench's first table: the label, and its figure from the 25th character on. */
export function abLine(label: string, figure: string | number): string {
  return `${`${label}:`.padEnd(LABEL_WIDTH)}${figure}`;
}

/** The same, as a list, and none where the figure is not known. */
export function abLineIf(label: string, figure: string | number | undefined, unit = ""): readonly string[] {
  return figure === undefined ? [] : [abLine(label, `${figure}${unit}`)];
}

/** Paragraphs with an empty line between them; what is empty is left out. */
export function abParagraphs(paragraphs: readonly (readonly string[])[]): readonly string[] {
  return paragraphs
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}
