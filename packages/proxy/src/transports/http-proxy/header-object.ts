/**
 * Headers as Node's `request` takes them: by name as it was spelled first, with a list where one is repeated, so that
 * each is sent on a line of its own.
 */
export function headerObject(flat: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  let spelled: Map<string, string> | undefined;
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = flat[index] as string;
    const value = flat[index + 1] as string;
    const lowerCase = name.toLowerCase();
    spelled ??= new Map();
    const known = spelled.get(lowerCase);
    if (known === undefined) {
      spelled.set(lowerCase, name);
      // As a property of its own even if it is called __proto__.
      if (name === "__proto__") Object.defineProperty(headers, name, { value, enumerable: true, writable: true });
      else headers[name] = value;
    } else {
      const before = headers[known];
      if (Array.isArray(before)) before.push(value);
      else headers[known] = [before ?? "", value];
    }
  }
  return headers;
}
