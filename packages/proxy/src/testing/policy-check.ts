/** One thing that a policy must do: a test for any test runner. */
export interface PolicyCheck {
  /** A sentence about the policy: `skips backends that are not available`. */
  readonly name: string;
  /** Throws an `AssertionError` when the policy does not do it. */
  readonly run: () => void;
}

/** What a policy promises beyond what every policy must do. */
export interface PolicyPromises {
  /**
   * Which share each available backend gets of 10 000 different requests with none in flight: all the same, or in
   * proportion to its weight. Nothing about shares is checked when it is left out.
   */
  readonly shares?: "equal" | "by-weight";
  /**
   * How far a share may be from that, as a part of all requests; 0 by default, which leaves one request for what does
   * not divide. By chance alone shares stay within 0.02 but for one run in 10 000; give such a policy a seed.
   */
  readonly tolerance?: number;
  /** `false` for a policy whose pickers differ by chance; it is then not checked that they share no state. */
  readonly repeatable?: boolean;
}
