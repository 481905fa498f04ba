import { expect, test } from "vitest";
import { withholdEnvironment } from "./withhold-environment.js";

test("takes away inputs and tokens for ever, and the files of the runner for a time", () => {
  const files = { GITHUB_OUTPUT: "/o", GITHUB_STEP_SUMMARY: "/s", GITHUB_ENV: "/e", GITHUB_PATH: "/p" };
  const rest = { PATH: "/bin", GITHUB_SHA: "abc", ACTIONS_STEP_DEBUG: "true", MY_TOKEN: "given by the workflow" };
  const env: NodeJS.ProcessEnv = {
    ...rest,
    ...files,
    INPUT_TOKEN: "x",
    "INPUT_FAIL-ON": "never",
    ACTIONS_RUNTIME_TOKEN: "x",
    ACTIONS_RUNTIME_URL: "x",
    ACTIONS_RESULTS_URL: "x",
    ACTIONS_CACHE_URL: "x",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "x",
    ACTIONS_ID_TOKEN_REQUEST_URL: "x",
  };
  const restore = withholdEnvironment(env);
  expect(env).toEqual(rest);
  restore();
  expect(env).toEqual({ ...rest, ...files });
});
