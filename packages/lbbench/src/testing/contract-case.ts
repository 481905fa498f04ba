/**
 * One thing that a plugin of some kind has to do. Any test runner can run it:
 *
 *     for (const { name, run } of serverContract(myServer, subject)) it(name, run);
 */
export interface ContractCase {
  /** A sentence about the plugin: `answers when it has started`. */
  readonly name: string;
  /** Rejects with an `AssertionError` that says what was expected and what came. Starts and stops what it needs. */
  readonly run: () => Promise<void>;
}
