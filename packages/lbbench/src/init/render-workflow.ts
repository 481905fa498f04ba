import type { PackageManager } from "./folder.js";

/** Commands by which packages are installed as the lockfile says; constants, so that nothing of a project gets into a shell. */
const INSTALL: ReadonlyMap<PackageManager, string> = new Map([
  ["npm", "npm ci"],
  ["npm without lockfile", "npm install"],
  ["pnpm", "corepack enable && pnpm install --frozen-lockfile"],
  ["yarn", "corepack enable && yarn install --frozen-lockfile"],
]);

const CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2";
const SETUP_NODE = "actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0";
const UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2";

/** What the workflow is made of. */
export interface WorkflowParts {
  /** The Action: `OWNER/lbbench@v1`. */
  readonly action: string;
  /** Name of the config file of base and head, a constant beside its ending. */
  readonly config: string;
  /** How packages are installed; left out where there are none. */
  readonly packages?: PackageManager;
}

/** The workflow that compares base and head of a pull request in one job, and comments on it. */
export function renderWorkflow({ action, config, packages }: WorkflowParts): string {
  const install = packages === undefined ? undefined : INSTALL.get(packages);
  const steps =
    install === undefined
      ? ""
      : `
      - run: ${install}
        working-directory: base
      - run: ${install}
        working-directory: head`;
  return `# Compares the pull request with what it is to be merged into: both are measured in turn, in one job.
name: lbbench

on:
  pull_request:

# No more than it takes to read the code and to keep one comment on the pull request.
permissions:
  contents: read
  pull-requests: write

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
      # A commit in place of the tag cannot be moved to other code later.
      - uses: ${action}
        id: lbbench
        with:
          config: head/${config}
          out: report
      - uses: ${UPLOAD}
        if: always() && steps.lbbench.outputs.report != ''
        with:
          name: lbbench
          path: \${{ steps.lbbench.outputs.report }}
`;
}
