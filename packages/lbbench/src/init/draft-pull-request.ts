import { DEFAULTS } from "../config/defaults.js";
import type { Answers, Subject } from "./answers.js";
import type { ConfigDraft, ConfigEntry } from "./config-entry.js";
import { draftThresholds, startBehindBalancer, startByCommand } from "./draft-config.js";

/** Folder of the base, seen from that of the head, where both are checked out side by side. */
const BASE_FOLDER = "../base";

/** The config that the workflow uses: base and head of a pull request as two targets, measured in turn in one job. */
export function draftPullRequest({ subject, thresholds }: Answers, name: string): ConfigDraft {
  const { connections, duration, trials, margin } = DEFAULTS.init.pullRequest;
  return {
    about: [
      "What the workflow .github/workflows/lbbench.yml measures: base and head of a pull request, in turn and on one machine, so that whatever the machine does happens to both.",
    ],
    entries: [
      { key: "name", value: `${name}, base and head` },
      {
        key: "targets",
        about: "Paths begin at the folder of this file, which is the head; the workflow checks the base out beside it.",
        list: [
          [{ key: "name", value: "base" }, ...startOne(subject, BASE_FOLDER)],
          [{ key: "name", value: "head" }, ...startOne(subject, ".")],
        ],
      },
      { key: "reference", value: "base" },
      {
        key: "margin",
        value: margin,
        about:
          "By how much the head may be worse in throughput, p50 and p99. The smaller it is, the more trials it takes to tell.",
      },
      { key: "trials", value: trials, about: "With too few the verdict is inconclusive, and says how many it takes." },
      { key: "connections", value: connections },
      { key: "duration", value: duration },
      draftThresholds(thresholds),
    ],
  };
}

function startOne(subject: Subject, cwd: string): readonly ConfigEntry[] {
  if (subject.kind === "command") return startByCommand(subject.command, cwd);
  if (subject.kind === "balanced") return startBehindBalancer(subject, cwd);
  throw new TypeError(`Nothing of a pull request is measured by "${subject.kind}"`);
}
