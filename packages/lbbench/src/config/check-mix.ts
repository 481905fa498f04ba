import type { MixedRequest } from "../model/scenario.js";
import { ConfigError } from "./config-error.js";
import { placeInMix } from "./place-in-mix.js";

/** Of all bodies of a mix together, those from files, those written down and those taken from `request` alike. */
export const MOST_MIX_BYTES = 10_000_000;

/** How many times as often as another an entry may be sent; a rarer one would as good as never have its turn. */
const MOST_RATIO = 1e6;

/**
 * Checks what only the whole of a mix can tell. Throws a {@link ConfigError} when two entries have the same name, be they the
 * same request or not (their figures stand beside each other under it), when one weighs less than a millionth of another, and
 * when the bodies are more than 10 MB together.
 */
export function checkMix(mix: readonly MixedRequest[]): void {
  checkNames(mix);
  checkWeights(mix);
  checkMixBytes(sum(mix.map(({ request, bodies }) => byteLength(bodies ?? [request.body], request))));
}

/** Throws a {@link ConfigError} when the bodies of a mix have so many bytes together that it is too much. */
export function checkMixBytes(bytes: number): void {
  if (bytes <= MOST_MIX_BYTES) return;
  throw new ConfigError(
    `mix (--mix): expected bodies of at most ${MOST_MIX_BYTES} bytes in all of its entries together, got ${bytes}. ` +
      "Leave some out: lbbench, every generator and the result keep all of them, and they are sent again and again.",
  );
}

/** Bytes of bodies as they are sent, together; no body has none. */
export function byteLength(
  bodies: readonly (string | null | undefined)[],
  { bodyEncoding = "utf8" }: { readonly bodyEncoding?: "utf8" | "base64" | undefined },
): number {
  return sum(bodies.map((body) => Buffer.byteLength(body ?? "", bodyEncoding)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function checkNames(mix: readonly MixedRequest[]): void {
  const indexes = new Map<string, number>();
  for (const [index, { name }] of mix.entries()) {
    const earlier = indexes.get(name);
    if (earlier !== undefined) {
      throw new ConfigError(
        `${placeInMix(index)}: expected a name that no other entry has, got "${name}", which is that of mix[${earlier}]. ` +
          'Give it a name ("name"); or, where it is the same request, leave it out and raise the weight of the other.',
      );
    }
    indexes.set(name, index);
  }
}

function checkWeights(mix: readonly MixedRequest[]): void {
  const most = Math.max(...mix.map(({ weight }) => weight));
  const index = mix.findIndex(({ weight }) => weight * MOST_RATIO < most);
  const rare = mix[index];
  if (rare === undefined) return;
  throw new ConfigError(
    `${placeInMix(index, "weight")}: expected at least a millionth of the largest weight, ${most}, got ${rare.weight}: ` +
      `"${rare.name}" would as good as never be sent. Raise it, or leave the entry out.`,
  );
}
