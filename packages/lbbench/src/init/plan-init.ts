import { ConfigError } from "../config/config-error.js";
import type { Answers } from "./answers.js";
import { draftConfig, draftPullRequest, renderConfig } from "./draft.js";
import { packageManagerOf, projectName, type Folder, type PlannedFile } from "./folder.js";
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
  const hasScript = scripts.names.includes("bench");
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
    next: [packageManagerOf(folder)?.add ?? [], hasScript ? "npm run bench" : "npx lbbench sweep"].flat(),
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

/** The scripts of a project, with the names of those of ours that are there in the end. */
function planScripts({ scripts }: Answers, { manifest }: Folder, force: boolean) {
  if (!scripts) return { files: [], notes: [], names: [] };
  if (manifest === undefined) {
    return { files: [], notes: ["There is no package.json here, so no scripts were added."], names: [] };
  }
  const { text, kept } = addScripts(manifest.text, { force });
  const file: PlannedFile = { path: "package.json", content: text, manner: "edit" };
  return {
    files: text === manifest.text ? [] : [file],
    notes: kept.map(
      (name) => `package.json has another script "${name}" already, which stays as it is; --force replaces it.`,
    ),
    names: Object.keys(SCRIPTS).filter((name) => !kept.includes(name)),
  };
}

function planWorkflow(answers: Answers, folder: Folder, tool: ToolOrigin): Pick<InitPlan, "files" | "notes"> {
  const { subject, thresholds } = answers;
  if (subject.kind === "url" || subject.kind === "samples") {
    const what = subject.kind === "url" ? "a URL" : "samples";
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
  const content = renderConfig(
    draftPullRequest(subject, thresholds, projectName(folder)),
    answers.format,
    schemaOf(folder),
  );
  const workflow = renderWorkflow(tool, config, packageManagerOf(folder)?.install);
  const note = `${WORKFLOW} runs ${tool.npm} from npm, and writes the summary of its job. It writes no comment on the pull request.`;
  return {
    files: [
      { path: config, content, manner: "create" },
      { path: WORKFLOW, content: workflow, manner: "create" },
    ],
    notes: tool.action === undefined ? [note] : [],
  };
}

/** The scripts that are added to a package.json. */
export const SCRIPTS = Object.freeze({ bench: "lbbench sweep", "bench:max": "lbbench max" });

/**
 * Adds our scripts at the end of those of a package.json, whose order, indentation, line breaks and end stay. One of the
 * same name is replaced only with `force`; the names of those that were left are `kept`. Throws a `ConfigError` where its scripts are
 * no object.
 */
export function addScripts(text: string, { force }: { readonly force: boolean }) {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const content = JSON.parse(text.slice(mark.length)) as Record<string, unknown>;
  const scripts = content["scripts"] ?? {};
  if (typeof scripts !== "object" || Array.isArray(scripts)) {
    throw new ConfigError(
      `package.json: scripts: expected an object, got ${JSON.stringify(scripts)}. Mend it, or give --no-scripts.`,
    );
  }
  const present = new Map(Object.entries(scripts));
  const others = Object.entries(SCRIPTS).filter(([name, script]) => present.get(name) !== script);
  const kept = others.flatMap(([name]) => (!force && present.has(name) ? [name] : []));
  const added = others.filter(([name]) => !kept.includes(name));
  if (added.length === 0) return { text, kept };
  const [, indent = "  "] = /^[[{]\r?\n([ \t]+)/.exec(text.slice(mark.length)) ?? [];
  const [, end = ""] = /(\s*)$/.exec(text) ?? [];
  const changed = { ...content, scripts: { ...scripts, ...Object.fromEntries(added) } };
  const lines = JSON.stringify(changed, null, indent);
  return { text: `${mark}${text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines}${end}`, kept };
}
