/** What measures text: a canvas with its font set. */
export interface Measuring {
  measureText(text: string): { readonly width: number };
}

/** Shortens a text to a width in pixels, the middle replaced by `…`, as names often differ at their ends. */
export function fitText(context: Measuring, text: string, width: number): string {
  const fits = (one: string): boolean => context.measureText(one).width <= width;
  if (fits(text)) return text;
  const characters = Array.from(text);
  const shortened = (length: number): string => {
    const head = Math.ceil((length - 1) / 2);
    return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (length - 1 - head)).join("")}`;
  };
  let [shortEnough, tooLong] = [1, characters.length];
  while (tooLong - shortEnough > 1) {
    const middle = Math.floor((shortEnough + tooLong) / 2);
    if (fits(shortened(middle))) shortEnough = middle;
    else tooLong = middle;
  }
  return shortened(shortEnough);
}
