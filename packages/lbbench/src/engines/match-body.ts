/** Compares the body of an answer with the expected one, piece by piece. */
export interface BodyMatch {
  readonly start: () => void;
  readonly add: (chunk: Buffer, start: number, length: number) => void;
  /** Whether everything since `start` is the expected body, no less and no more. */
  readonly matches: () => boolean;
}

/** Compares with `expected`, keeping nothing of what comes; with `null` any body matches. */
export function matchBody(expected: Buffer | null): BodyMatch {
  if (expected === null) return { start: () => {}, add: () => {}, matches: () => true };
  let position = 0;
  let same = true;
  return {
    start: () => {
      position = 0;
      same = true;
    },
    add: (chunk, start, length) => {
      same &&=
        position + length <= expected.length &&
        expected.compare(chunk, start, start + length, position, position + length) === 0;
      position += length;
    },
    matches: () => same && position === expected.length,
  };
}
