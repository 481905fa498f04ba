const USUAL: readonly string[] = ["md", "html"];
/** Drawing pictures takes native code, which an action cannot bring along; charts are drawn by GitHub and by the page. */
const PICTURES = "png";

/** Says what of the formats that were asked for is left out, where anything is. */
export function describeLeftOut(asked: readonly string[] = USUAL): string | undefined {
  return asked.includes(PICTURES)
    ? `formats: ${PICTURES} is left out, because pictures take native code that the action cannot bring along; charts are in md and html.`
    : undefined;
}

/** The formats of a report that the action can render, of those asked for; Markdown and HTML of none. */
export function fitFormats(asked: readonly string[] = USUAL): readonly string[] {
  const formats = asked.filter((format) => format !== PICTURES);
  return formats.length === 0 ? USUAL : formats;
}
