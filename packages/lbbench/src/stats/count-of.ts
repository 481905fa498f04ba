const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Names so many things: `1 backend`, `1,234 requests`, `2 bodies`. The plural has an `s` where it is not given. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  const text = WHOLE.format(count);
  return `${text} ${text === "1" ? one : many}`;
}
