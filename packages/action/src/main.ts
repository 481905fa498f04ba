import { guardExit } from "./guard-exit.js";
import { reportError } from "./report-error.js";
import { runAction } from "./run-action.js";

const release = guardExit();
try {
  await runAction();
} catch (error) {
  reportError(error);
} finally {
  release();
}
