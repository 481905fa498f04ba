/** An option of the balancer that cannot be honoured; thrown before anything is opened. */
export class BalancerOptionsError extends Error {
  override readonly name = "BalancerOptionsError";
}
