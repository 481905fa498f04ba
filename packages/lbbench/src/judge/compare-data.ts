/** Whether two pieces of plain data are equal, whatever the order of the keys in their objects. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) {
    return Object.is(a, b);
  }
  return differingKeys(a, b).length === 0;
}

/** Returns the keys under which two objects differ, in order of first appearance. */
export function differingKeys(a: object, b: object): readonly string[] {
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return [...new Set([...left.keys(), ...right.keys()])].filter(
    (key) => left.has(key) !== right.has(key) || !isSameData(left.get(key), right.get(key)),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
