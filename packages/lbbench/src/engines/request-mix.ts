import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import type { Load } from "../plugin.js";
import type { GeneratorPlace } from "./generator.js";
import { requestBytes } from "./request-bytes.js";
import { planBytes, type PlannedRequest } from "./request-plan.js";
import { urlWithPath } from "./url-with-path.js";
import { takeTurns } from "./take-turns.js";

/** What one request of a run is. */
export interface PickedRequest extends PlannedRequest {
  /** Which entry of the mix it is of, by index; 0 without a mix. */
  readonly entry: number;
  /** Where it goes, path and query included; they count, and not the path of `request`. */
  readonly url: URL;
  /** What is sent: its body is the one whose turn it is. */
  readonly request: RequestSpec;
}

/** The requests of a run, shared by all who send them. */
export interface RequestMix {
  /** One of them, to begin with; it takes no turn. */
  readonly first: PickedRequest;
  /** Says what is to be sent next. Without a mix it is always the same. */
  readonly pick: () => PickedRequest;
}

/**
 * Works out all requests of a load, so that nothing is left to be done when they are sent: of a mix in proportion to its
 * weights (see {@link takeTurns}), the bodies of an entry in turn. Every generator sends the mix as a whole, and of the
 * bodies every so many-th, so that together they send each before any comes again, as far as they are equally quick.
 */
export function mixRequests(
  load: Pick<Load, "url" | "request" | "mix" | "keepAlive">,
  place: GeneratorPlace,
): RequestMix {
  const base = new URL(load.url);
  const { mix, keepAlive } = load;
  if (mix === undefined) {
    const only = { entry: 0, url: base, request: load.request, ...planBytes(base, load.request, keepAlive) };
    return { first: only, pick: () => only };
  }
  const entries = mix.map((one, entry) => inTurn(planBodies(base, one, keepAlive, entry), place));
  const [first] = entries;
  if (first === undefined) throw new Error("Expected a mix of at least one request, got an empty one");
  const nextEntry = takeTurns(mix.map(({ weight }) => weight));
  return { first: first.first, pick: () => (entries[nextEntry()] ?? first).pick() };
}

function planBodies(
  base: URL,
  { request, bodies }: MixedRequest,
  keepAlive: boolean,
  entry: number,
): readonly PickedRequest[] {
  const url = urlWithPath(base, request.path);
  const planned = planBytes(url, request, keepAlive);
  return (bodies ?? [request.body]).map((body) => {
    const one = { ...request, body };
    return { ...planned, entry, url, request: one, bytes: requestBytes(url, one, keepAlive) };
  });
}

/** Every `of`-th, again and again from the beginning. */
function inTurn(requests: readonly PickedRequest[], { index, of }: GeneratorPlace): RequestMix {
  const [first] = requests;
  if (first === undefined) throw new Error("Expected at least one body, got none");
  let next = index % requests.length;
  return {
    first,
    pick: () => {
      const picked = requests[next] ?? first;
      next = (next + of) % requests.length;
      return picked;
    },
  };
}
