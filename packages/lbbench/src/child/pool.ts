import { forkChild, type Child } from "./fork.js";

/** Child processes that are kept between uses, so that their code stays compiled. */
export interface ChildPool {
  /** The first `count` living processes of a built module, started where there are too few. */
  readonly acquire: <Remote extends object>(entry: string, count: number) => readonly Child<Remote>[];
  /** Ends all of them and waits. */
  readonly close: () => Promise<void>;
}

/** Starts an empty pool; its processes are named `name-1`, `name-2`, ... */
export function createChildPool(name: string): ChildPool {
  const pools = new Map<string, Child<object>[]>();
  return {
    acquire: <Remote extends object>(entry: string, count: number) => {
      const children = pools.get(entry) ?? [];
      pools.set(entry, children);
      while (children.length < count) {
        const child = forkChild<object>(entry, { name: freeName(name, children) });
        children.push(child);
        void child.exited.then(() => {
          const at = children.indexOf(child);
          if (at !== -1) children.splice(at, 1);
        });
      }
      return children.slice(0, count) as unknown as readonly Child<Remote>[];
    },
    close: async () => {
      const all = [...pools.values()].flat();
      pools.clear();
      await Promise.all(all.map((child) => child.stop()));
    },
  };
}

/** The lowest number that no living process of the pool has. */
function freeName(name: string, children: readonly Pick<Child<object>, "name">[]): string {
  const taken = new Set(children.map((child) => child.name));
  const numbers = Array.from({ length: children.length + 1 }, (_, index) => `${name}-${index + 1}`);
  return numbers.find((candidate) => !taken.has(candidate)) ?? name;
}
