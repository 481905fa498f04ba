/** The output of one run in a file. */
export interface Block {
  readonly program: "ab" | "wrk" | "hey" | "json";
  /** Its lines, from `first` to `last`, numbered from 1. */
  readonly lines: readonly string[];
  readonly first: number;
  readonly last: number;
  /** What stands between it and the block before: prompts, comments, commands. */
  readonly before: readonly string[];
}

/** The text of a block, with an empty line for each before it, so that whoever counts lines counts those of the file. */
export function textInPlace({ lines, first }: Block): string {
  return "\n".repeat(first - 1) + lines.join("\n");
}

/** Names the place of a block: `runs.txt:12-45`. */
export function placeOf(file: string, { first, last }: Pick<Block, "first" | "last">): string {
  return `${file}:${first === last ? first : `${first}-${last}`}`;
}
