import { defined } from "../stats/defined.js";
/** What tells where a package comes from: fields of its package.json. */
export interface PackageOrigin {
  readonly version: string;
  readonly repository?: string | { readonly url: string };
}

/** How a workflow gets lbbench. */
export interface ToolOrigin {
  /** The package of npm: `lbbench@0.1`. */
  readonly npm: string;
  /** The Action: `OWNER/NAME@v0.1`; absent where the package does not tell its repository. */
  readonly action?: string;
}

/**
 * How a workflow names this version: the line in which nothing breaks, whose tag release/announce.sh moves: 1 of 1.2.3, and 0.1 of
 * 0.1.2, because before 1.0.0 a minor version may break things. A version to be tried (`1.0.0-rc.1`) is named itself.
 */
export function toolOrigin({ version, repository }: PackageOrigin): ToolOrigin {
  const address = typeof repository === "object" ? repository.url : repository;
  const [, name] = /github(?:\.com[/:]|:)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(address ?? "") ?? [];
  const [, stable = version] = /^(0\.\d+|[1-9]\d*)\.[\d.]+$/.exec(version) ?? [];
  return { npm: `lbbench@${stable}`, ...defined({ action: name === undefined ? undefined : `${name}@v${stable}` }) };
}

const CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2";
const SETUP_NODE = "actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0";
const UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2";

/**
 * The workflow that compares base and head of a pull request in one job. The Action comments on it; where its address is not
 * known lbbench is run from npm, and the summary of the job tells what came of it.
 *
 * @param config name of the config file of base and head, a constant beside its ending.
 * @param install command that installs their packages; left out where there are none.
 */
export function renderWorkflow({ npm, action }: ToolOrigin, config: string, install?: string): string {
  const installed = ["base", "head"].map((side) => `\n      - run: ${install}\n        working-directory: ${side}`);
  const steps = install === undefined ? "" : installed.join("");
  const { permission, run, report, condition } =
    action === undefined
      ? {
          permission: "",
          run: `      - run: npx --yes ${npm} sweep --config head/${config} -o report -f md,html --charts mermaid
      - run: cat report/report.md >> "$GITHUB_STEP_SUMMARY"
        if: always()`,
          report: "report",
          condition: "always()",
        }
      : {
          permission: "\n  # For the comment.\n  pull-requests: write",
          run: `      # A commit in place of the tag cannot be moved to other code later.
      - uses: ${action}
        id: lbbench
        with:
          config: head/${config}
          out: report`,
          report: "${{ steps.lbbench.outputs.report }}",
          condition: "always() && steps.lbbench.outputs.report != ''",
        };
  return `# Compares the pull request with what it is to be merged into: both are measured in turn, in one job.
name: lbbench

on:
  pull_request:

# No more than it takes.
permissions:
  contents: read${permission}

concurrency:
  group: lbbench-\${{ github.ref }}
  cancel-in-progress: true

jobs:
  lbbench:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      # The pull request merged, and beside it what it is merged into: nothing else differs between the two.
      - uses: ${CHECKOUT}
        with:
          path: head
          fetch-depth: 2
          persist-credentials: false
      - run: git -C head worktree add ../base HEAD^1
      - uses: ${SETUP_NODE}
        with:
          node-version: 24${steps}
${run}
      - uses: ${UPLOAD}
        if: ${condition}
        with:
          name: lbbench
          path: ${report}
`;
}
