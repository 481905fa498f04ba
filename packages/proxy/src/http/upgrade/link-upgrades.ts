import type { Link } from "../../transports/link.js";

/** Something under way with a backend that is not on a connection of its link. */
export interface Severable {
  /** Ends it at once: its backend has been taken away. */
  readonly sever: () => void;
}

const underWay = new WeakMap<Link, Set<Severable>>();

/** Notes that something goes on with the backend of a link; returns what notes its end. */
export function noteUpgrade(link: Link, upgrade: Severable): () => void {
  const upgrades = underWay.get(link) ?? new Set();
  underWay.set(link, upgrades.add(upgrade));
  return () => void upgrades.delete(upgrade);
}

/** Ends all upgrades of a link; to be called when the link is closed, which knows nothing of them. */
export function severUpgrades(link: Link): void {
  for (const upgrade of underWay.get(link) ?? []) upgrade.sever();
}
