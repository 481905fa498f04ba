import type { BackendState } from "./policy.js";

/**
 * Keeps a number for each backend of a list: returns a function that gives the numbers in the order of the list, to be
 * read and written in place. A backend keeps its number while the list changes around it, and loses it when it leaves;
 * a new one begins with what `start` gives. Takes no memory while the list stays as it is.
 */
export function numberPerBackend(
  start: (backend: BackendState) => number,
): (backends: readonly BackendState[]) => number[] {
  let names: readonly string[] = [];
  let numbers: number[] = [];
  return (backends) => {
    if (!haveNames(backends, names)) {
      const known = new Map(names.map((name, index) => [name, numbers[index]]));
      numbers = backends.map((backend) => known.get(backend.name) ?? start(backend));
      names = backends.map(({ name }) => name);
    }
    return numbers;
  };
}

function haveNames(backends: readonly BackendState[], names: readonly string[]): boolean {
  if (backends.length !== names.length) return false;
  for (let index = 0; index < names.length; index++) {
    if (backends[index]?.name !== names[index]) return false;
  }
  return true;
}
