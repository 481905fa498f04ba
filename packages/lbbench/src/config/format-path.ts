/** Writes a path into a value the way it is written in JavaScript: `targets[0].options.port`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.map((key, index) => formatKey(key, index === 0)).join("");
}

function formatKey(key: PropertyKey, isFirst: boolean): string {
  if (typeof key === "number") return `[${key}]`;
  const text = String(key);
  if (!/^[\w$]+$/.test(text)) return `[${JSON.stringify(text)}]`;
  return isFirst ? text : `.${text}`;
}
