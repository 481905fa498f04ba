/** Compares bodies of answers with what is expected of them, one after the other and each piece by piece. */
export interface BodyMatch {
  /** Begins with the next body; with `null` any will do. */
  readonly start: (expected: Buffer | null) => void;
  readonly add: (chunk: Buffer, start: number, length: number) => void;
  /** Whether everything since `start` is the expected body, no less and no more. */
  readonly matches: () => boolean;
}

/** Returns what compares, keeping nothing of what comes; any body matches before the first is started. */
export function matchBody(): BodyMatch {
  let wanted: Buffer | null = null;
  let position = 0;
  let same = true;
  return {
    start: (expected) => {
      wanted = expected;
      position = 0;
      same = true;
    },
    add: (chunk, start, length) => {
      if (wanted === null) return;
      same &&=
        position + length <= wanted.length &&
        wanted.compare(chunk, start, start + length, position, position + length) === 0;
      position += length;
    },
    matches: () => wanted === null || (same && position === wanted.length),
  };
}
