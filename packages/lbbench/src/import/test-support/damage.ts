import fc from "fast-check";

/** Text with a line missing, cut off, doubled, or with something else in it. */
export function damaged(text: string): fc.Arbitrary<string> {
  const lines = text.split("\n");
  const at = fc.nat(lines.length - 1);
  const replaceAt = (index: number, ...by: readonly string[]): string => lines.toSpliced(index, 1, ...by).join("\n");
  const line = (index: number): string => lines[index] ?? "";
  return fc.oneof(
    at.map((index) => replaceAt(index)),
    at.map((index) => replaceAt(index, line(index), line(index))),
    fc.nat(text.length).map((length) => text.slice(0, length)),
    fc.tuple(at, fc.string({ minLength: 1, maxLength: 8 })).map(([index, junk]) => replaceAt(index, junk)),
    fc
      .tuple(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 3 }))
      .map(([position, junk]) => `${text.slice(0, position)}${junk}${text.slice(position + 1)}`),
  );
}
