import type { Upstream } from "./upstream.js";

/** Closes links, each once. */
export interface LinkCloser<Link> {
  /** Resolves when it is closed; called again, with what the first call gave. */
  readonly close: (upstream: Upstream<Link>) => Promise<void>;
}

/** Makes what closes links. */
export function createLinkCloser<Link>(closeLink: (link: Link) => void | Promise<void>): LinkCloser<Link> {
  const closing = new WeakMap<Upstream<Link>, Promise<void>>();
  return {
    close(upstream) {
      const begun = closing.get(upstream) ?? callClose(closeLink, upstream.link);
      closing.set(upstream, begun);
      return begun;
    },
  };
}

async function callClose<Link>(closeLink: (link: Link) => void | Promise<void>, link: Link): Promise<void> {
  await closeLink(link);
}
