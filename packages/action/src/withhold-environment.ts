/** What the runner gives to the action alone: its inputs, of which one is a token, and the keys to its own services. */
const FOR_THE_ACTION = /^(?:INPUT_|ACTIONS_(?:\w+_)?(?:TOKEN|URL)$)/;

/** Files by which the runner is told what later steps believe. */
const FILES = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"] as const;

/**
 * Removes from an environment what is not for the config and the servers under test, which are started with it: inputs and the
 * tokens of the runner for ever, the files that it reads until the function returned is called.
 */
export function withholdEnvironment(env: NodeJS.ProcessEnv = process.env): () => void {
  for (const name of Object.keys(env)) if (FOR_THE_ACTION.test(name.toUpperCase())) delete env[name];
  const kept = FILES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  for (const name of FILES) delete env[name];
  return () => Object.assign(env, Object.fromEntries(kept));
}
