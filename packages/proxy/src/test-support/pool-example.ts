import { onTestFinished } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { Pool, type PoolOptions } from "../pool/pool.js";
import type { Upstream } from "../pool/upstream.js";

type Options = Partial<Omit<BalancerOptions, "tls">> & Partial<Pick<PoolOptions<string>, "closeLink">>;

/**
 * A pool of backends `a`, `b`, ... with the given weights (or of `backends`) whose links are texts, that is closed with
 * the test, and what happened to it.
 */
export function startExamplePool(weights: readonly number[], { closeLink, ...given }: Options = {}) {
  const backends = weights.map((weight, index) => ({
    url: `http://127.0.0.1:${4001 + index}`,
    name: String.fromCodePoint(97 + index),
    weight,
  }));
  const options = resolveOptions({ backends, ...given });
  const opened: string[] = [];
  const told: string[] = [];
  const closed: string[] = [];
  const pool = new Pool<string>({
    ...options,
    onShortage: () => undefined,
    onOutlier: (text) => told.push(text),
    openLink: ({ name }) => {
      opened.push(name);
      return `link to ${name}`;
    },
    closeLink: (link) => {
      closed.push(link);
      return closeLink?.(link);
    },
  });
  onTestFinished(() => pool.close().catch(() => undefined));
  /** The upstream of a name; throws when there is none. */
  const upstream = (name: string): Upstream<string> => {
    const found = pool.upstreams.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`There is no upstream ${name}.`);
    return found;
  };
  /** Tells of failed requests, one after the other. */
  const fail = (name: string, times = 1): void => {
    for (let told = 0; told < times; told++) pool.failed(upstream(name));
  };
  const conditions = (): string[] => pool.upstreams.map(({ name, condition }) => `${name} ${condition}`);
  return { pool, opened, closed, told, upstream, fail, conditions };
}
