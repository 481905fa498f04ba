import { DEFAULTS } from "../config/defaults.js";
import type { Answers, ConfigFormat, Subject } from "./answers.js";
import type { Folder } from "./folder.js";
import { guessCommand } from "./guess-command.js";

/** What is taken for an answer where none is given: what the folder tells, or else the defaults. */
export function defaultAnswers(folder: Folder): Answers {
  return {
    subject: defaultSubject(folder),
    connections: DEFAULTS.connections.join(","),
    duration: `${DEFAULTS.durationMs / 1000}s`,
    thresholds: DEFAULTS.init.thresholds,
    format: defaultFormat(folder),
    scripts: folder.manifest !== undefined,
    workflow: false,
  };
}

function defaultSubject(folder: Folder): Subject {
  const command = guessCommand(folder);
  return command === undefined ? { kind: "samples" } : { kind: "command", command };
}

/** That of the config that is there; TypeScript in a project that uses it; a module elsewhere, which runs as it is. */
function defaultFormat({ configs, names, manifest }: Folder): ConfigFormat {
  const [present] = configs;
  if (present !== undefined) return present;
  const lists = [manifest?.content.devDependencies, manifest?.content.dependencies];
  const isInstalled = lists.some(
    (list) => typeof list === "object" && list !== null && Object.hasOwn(list, "typescript"),
  );
  return names.has("tsconfig.json") || isInstalled ? "ts" : "mjs";
}
