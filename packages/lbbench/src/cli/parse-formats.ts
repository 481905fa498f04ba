/** Reads the list of a flag `--format`; whether the formats are known is for the renderer to say. */
export function parseFormats(list: string): readonly string[] {
  return list.split(",").map((format) => format.trim());
}
