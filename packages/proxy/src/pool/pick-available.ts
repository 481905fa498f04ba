import type { Picker, PolicyRequest } from "../policies/policy.js";
import type { Upstream } from "./upstream.js";

/** Lets a policy pick; `undefined` also when it breaks its promise and picks one that is not available. */
export function pickAvailable<Link>(
  picker: Picker,
  upstreams: readonly Upstream<Link>[],
  request: PolicyRequest,
): Upstream<Link> | undefined {
  const picked = picker.pick(upstreams, request);
  return picked?.available === true ? picked : undefined;
}

/**
 * Lets a policy pick one other than those that were tried. They stay in the list and are marked as not available while
 * the policy looks at it: a policy that keeps numbers for each backend forgets those that leave the list.
 */
export function pickUntried<Link>(
  picker: Picker,
  upstreams: readonly Upstream<Link>[],
  request: PolicyRequest,
  tried: readonly Upstream<Link>[],
): Upstream<Link> | undefined {
  const marked = tried.filter((upstream) => upstream.available);
  for (const upstream of marked) upstream.available = false;
  try {
    return pickAvailable(picker, upstreams, request);
  } finally {
    for (const upstream of marked) upstream.available = true;
  }
}
