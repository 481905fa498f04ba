import { ConfigError } from "../config/config-error.js";
import type { Answers } from "./answers.js";
import { draftConfig, draftPullRequest, renderConfig } from "./draft.js";
import { projectName, type Folder, type PackageManager, type PlannedFile } from "./folder.js";
import { renderWorkflow, type ToolOrigin } from "./workflow.js";

/** What `lbbench init` would do. */
export interface InitPlan {
  readonly files: readonly PlannedFile[];
  /** What the user has to know, in sentences. */
  readonly notes: readonly string[];
  /** Commands to run next. */
  readonly next: readonly string[];
}

/** What is beside answers and folder. */
export interface PlanOptions {
  readonly tool: ToolOrigin;
  /** Replace scripts of package.json that have the names of ours. */
  readonly force: boolean;
}

const WORKFLOW = ".github/workflows/lbbench.yml";

/** Works out the files of a project and what to say; throws a `ConfigError` for what cannot be done in this folder. */
export function planInit(answers: Answers, folder: Folder, { tool, force }: PlanOptions): InitPlan {
  refuseOthers(answers, folder);
  const name = projectName(folder);
  const config = `lbbench.config.${answers.format}`;
  const scripts = planScripts(answers, folder, force);
  const workflow = answers.workflow ? planWorkflow(answers, folder, tool) : { files: [], notes: [] };
  return {
    files: [
      {
        path: config,
        content: renderConfig(draftConfig(answers, name), answers.format, schemaOf(folder)),
        manner: "create",
      },
      ...scripts.files,
      ...workflow.files,
    ],
    notes: [...scripts.notes, ...workflow.notes],
    next: folder.manifest === undefined ? ["npx lbbench sweep"] : nextOfProject(folder, scripts.names),
  };
}

/** Where the schema for editors is, in a project that lbbench is to be installed in. */
function schemaOf({ manifest }: Folder): string | undefined {
  return manifest && "./node_modules/lbbench/config.schema.json";
}

/** A config that is found before the new one, or after it, would make it unclear which one is meant. */
function refuseOthers({ format }: Answers, { configs }: Folder): void {
  const other = configs.find((one) => one !== format);
  if (other === undefined) return;
  throw new ConfigError(
    `Expected no other config beside lbbench.config.${format}, got lbbench.config.${other}. Remove it, or give --format ${other}. Nothing was written.`,
  );
}

interface PlannedScripts {
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
  /** Those of our scripts that are there in the end. */
  readonly names: readonly string[];
}

function planScripts({ scripts }: Answers, { manifest }: Folder, force: boolean): PlannedScripts {
  if (!scripts) return { files: [], notes: [], names: [] };
  if (manifest === undefined) {
    return { files: [], notes: ["There is no package.json here, so no scripts were added."], names: [] };
  }
  const { text, kept } = addScripts(manifest.text, { force });
  return {
    files: text === manifest.text ? [] : [{ path: "package.json", content: text, manner: "edit" }],
    notes: kept.map(
      (name) => `package.json has another script "${name}" already, which stays as it is; --force replaces it.`,
    ),
    names: Object.keys(SCRIPTS).filter((name) => !kept.includes(name)),
  };
}

function planWorkflow(answers: Answers, folder: Folder, tool: ToolOrigin): Pick<InitPlan, "files" | "notes"> {
  const { kind } = answers.subject;
  if (kind === "url" || kind === "samples") {
    const what = kind === "url" ? "a URL" : "samples";
    throw new ConfigError(
      `--workflow: expected a program, whose base and head the workflow starts and compares, got ${what}. Give --command "node server.js", or leave the workflow out. Nothing was written.`,
    );
  }
  if (folder.repositoryAbove !== undefined) {
    throw new ConfigError(
      `--workflow: expected the top of a repository, because GitHub reads workflows there alone, got a folder in ${folder.repositoryAbove}. Run lbbench init there, or leave the workflow out. Nothing was written.`,
    );
  }
  const config = `lbbench.pull-request.${answers.format}`;
  const packages = packageManagerOf(folder);
  const files: readonly PlannedFile[] = [
    {
      path: config,
      content: renderConfig(draftPullRequest(answers, projectName(folder)), answers.format, schemaOf(folder)),
      manner: "create",
    },
    {
      path: WORKFLOW,
      content: renderWorkflow({ tool, config, ...(packages === undefined ? {} : { packages }) }),
      manner: "create",
    },
  ];
  const notes =
    tool.action === undefined
      ? [
          `${WORKFLOW} runs ${tool.npm} from npm, and writes the summary of its job. It writes no comment on the pull request.`,
        ]
      : [];
  return { files, notes };
}

function packageManagerOf({ manifest, names }: Folder): PackageManager | undefined {
  if (manifest === undefined) return undefined;
  if (names.has("pnpm-lock.yaml")) return "pnpm";
  if (names.has("yarn.lock")) return "yarn";
  return names.has("package-lock.json") || names.has("npm-shrinkwrap.json") ? "npm" : "npm without lockfile";
}

const INSTALL = new Map<PackageManager, string>([
  ["pnpm", "pnpm add --save-dev lbbench"],
  ["yarn", "yarn add --dev lbbench"],
]);

function nextOfProject(folder: Folder, scripts: readonly string[]): readonly string[] {
  const manager = packageManagerOf(folder);
  const install = (manager && INSTALL.get(manager)) ?? "npm install --save-dev lbbench";
  return [install, scripts.includes("bench") ? "npm run bench" : "npx lbbench sweep"];
}

/** The scripts that are added to a package.json. */
export const SCRIPTS = Object.freeze({ bench: "lbbench sweep", "bench:max": "lbbench max" });

/** A package.json with the scripts in it. */
export interface AddedScripts {
  readonly text: string;
  /** Names of scripts that say something else already, and were left so. */
  readonly kept: readonly string[];
}

/**
 * Adds our scripts at the end of those of a package.json, whose order, indentation, line breaks and end stay. One of the
 * same name is replaced only with `force`. Throws a `ConfigError` where its scripts are no object.
 */
export function addScripts(text: string, { force }: { readonly force: boolean }): AddedScripts {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const content = JSON.parse(text.slice(mark.length)) as Record<string, unknown>;
  const scripts = content["scripts"] ?? {};
  if (typeof scripts !== "object" || Array.isArray(scripts)) {
    throw new ConfigError(
      `package.json: scripts: expected an object, got ${JSON.stringify(scripts)}. Mend it, or give --no-scripts.`,
    );
  }
  const present = new Map(Object.entries(scripts));
  const kept = Object.entries(SCRIPTS).flatMap(([name, script]) =>
    !force && present.has(name) && present.get(name) !== script ? [name] : [],
  );
  const added = Object.entries(SCRIPTS).filter(
    ([name, script]) => !kept.includes(name) && present.get(name) !== script,
  );
  if (added.length === 0) return { text, kept };
  const [, indent = "  "] = /^[[{]\r?\n([ \t]+)/.exec(text.slice(mark.length)) ?? [];
  const [, end = ""] = /(\s*)$/.exec(text) ?? [];
  const changed = { ...content, scripts: { ...scripts, ...Object.fromEntries(added) } };
  const lines = JSON.stringify(changed, null, indent);
  return { text: `${mark}${text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines}${end}`, kept };
}
