import { ConfigError, refuse } from "../config/config-error.js";
import type { Answers, Program } from "./answers.js";
import { configText, pullRequestText } from "./config-text.js";
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

const WORKFLOW = ".github/workflows/lbbench.yml";
/** The scripts that are added to a package.json. */
const SCRIPTS = { bench: "lbbench sweep", "bench:max": "lbbench max" };

/**
 * Works out the files of a project and what to say; throws a `ConfigError` where that cannot be done in this folder.
 *
 * @param options.force replace scripts of package.json that have the names of ours.
 */
export function planInit(
  answers: Answers,
  folder: Folder,
  { tool, force }: { readonly tool: ToolOrigin; readonly force: boolean },
): InitPlan {
  const { format } = answers;
  const { manifest } = folder;
  // A config that is found before the new one, or after it, would make it unclear which one is meant.
  const config = `lbbench.config.${format}`;
  const other = folder.configs.find((name) => name !== config);
  refuse(other && `Expected no other config beside ${config}, got ${other}. Remove it first. Nothing was written.`);
  const name = projectName(folder);
  // In a project that lbbench is to be installed in.
  const style = { format, schema: manifest && "./node_modules/lbbench/config.schema.json" };
  const manager = packageManagerOf(folder);
  const files: PlannedFile[] = [{ path: config, content: configText(answers, name, style), manner: "create" }];
  const notes = noteSamples(answers, folder, config);
  let kept = Object.keys(SCRIPTS);
  if (answers.scripts && manifest === undefined) {
    notes.push("There is no package.json here, so no scripts were added.");
  } else if (answers.scripts && manifest !== undefined) {
    const added = addScripts(manifest.text, { force });
    ({ kept } = added);
    if (added.text !== manifest.text) files.push({ path: "package.json", content: added.text, manner: "edit" });
    for (const script of kept) {
      notes.push(`package.json has another script "${script}" already, which stays as it is; --force replaces it.`);
    }
  }
  if (answers.workflow) {
    const path = `lbbench.pull-request.${format}`;
    const content = pullRequestText(comparable(answers, folder), answers, name, style);
    files.push({ path, content, manner: "create" });
    files.push({ path: WORKFLOW, content: renderWorkflow(tool, path, manager?.install), manner: "create" });
    if (tool.action === undefined) {
      notes.push(
        `${WORKFLOW} runs ${tool.npm} from npm, and writes the summary of its job. It writes no comment on the pull request.`,
      );
    }
  }
  const run = kept.includes("bench") ? "npx lbbench sweep" : "npm run bench";
  return { files, notes, next: [manager?.add ?? [], run].flat() };
}

/** Web frameworks, whose projects have a server of their own. */
const FRAMEWORKS = [
  "express",
  "fastify",
  "koa",
  "hono",
  "@hapi/hapi",
  "@nestjs/core",
  "next",
  "nuxt",
  "restify",
  "polka",
  "h3",
];

/** Says where samples are measured because nothing tells how the program of the project is started, and what to do. */
function noteSamples({ subject }: Answers, { manifest }: Folder, config: string): string[] {
  if (subject.kind !== "samples" || subject.instead !== true) return [];
  const { dependencies, devDependencies } = manifest?.content ?? {};
  const used = new Set(Object.keys(Object.assign({}, dependencies, devDependencies)));
  const framework = FRAMEWORKS.find((name) => used.has(name));
  const seen =
    framework === undefined
      ? "No program was found here"
      : `package.json has ${framework}, but nothing tells how its server is started`;
  const add = manifest === undefined ? "Give" : 'Add a script "start" to package.json, or give';
  return [
    `${seen}. So ${config} measures the sample servers of lbbench. ${add} --command "node server.js", and run lbbench init --force.`,
  ];
}

/** The program whose base and head can be compared here; throws a `ConfigError` where there is none. */
function comparable({ subject }: Answers, { repositoryAbove }: Folder): Program {
  if (subject.kind === "url" || subject.kind === "samples") {
    const got = subject.kind === "url" ? "a URL" : "samples";
    throw new ConfigError(
      `--workflow: expected a program, whose base and head the workflow starts and compares, got ${got}. Give --command "node server.js", or leave the workflow out. Nothing was written.`,
    );
  }
  if (repositoryAbove === undefined) return subject;
  throw new ConfigError(
    `--workflow: expected the top of a repository, because GitHub reads workflows there alone, got a folder in ${repositoryAbove}. Run lbbench init there, or leave the workflow out. Nothing was written.`,
  );
}

/**
 * Adds our scripts behind those of a package.json, whose order, indentation, line breaks and end stay. A script of the same name is
 * replaced only with `force`; `kept` names the others. Throws a `ConfigError` if its scripts are no object.
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
  const lines = JSON.stringify({ ...content, scripts: { ...scripts, ...Object.fromEntries(added) } }, null, indent);
  return { text: `${mark}${text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines}${end}`, kept };
}
