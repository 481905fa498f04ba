import { readdirSync } from "node:fs";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";
import { allNodes, readMarkdown } from "../../src/report/test-support/read-markdown.js";

const ROOTS = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"];
const FOLDERS = ["docs", "examples", "packages", "bench", "reports"];
/** Not written by us, or not for readers. */
const PASSED_OVER =
  /(^|\/)(node_modules|dist|bundle|__snapshots__)\/|^reports\/[^/]+\/|^docs\/reference\/|CHANGELOG\.md$/;

/** How commands are run in `commands.slow.test.ts`, or what else runs them; the first that fits counts. */
const WAYS: readonly (readonly [RegExp, string])[] = [
  [/ \| npx lbbench | > \S+$/, "in a shell"],
  [/^npx lbbench (proxy|serve) /, "for ever"],
  [/ --workers |^npx lbbench worker /, "test/workers"],
  [/^(npx )?lbbench /, "to its end"],
  [/^node --test examples\/plugin-/, "by node --test"],
  [/^node examples\/library\//, "as a script"],
  [/^npm (ci|test|run (check|build|test:slow))( |$)|^bash \.ci\/run$|^apt-get install /, "CI"],
  [/^npm run example (balancers|failover|linkerd-2016|r\d|tower-p2c)$/, "test/examples/examples.slow.test.ts"],
  [/^npm run bench( |$)/, ".github/workflows/bench.yml"],
  [/^npm run reference$/, ".github/workflows/release.yml"],
  [/^npm run docs$/, "document-code.integration.test.ts, by its --check"],
  [/^npm run (format|build:action)$/, "npm run check, by its --check"],
  [/^npm install --save-dev lbbench$/, "test/packages/install.slow.test.ts"],
  [/examples\/tests-/, "test/packages/test-runners.slow.test.ts"],
  [/^npm run version$|bash release\/(pack|publish)\.sh /, "release.slow.test.ts"],
  [/^npm login$/, "nobody: it needs an account"],
  [/^node bench\/install.mjs$/, "nobody: it asks the registry of npm, and takes minutes"],
];

/** A command that documents show. */
export interface ShownCommand {
  readonly document: string;
  readonly command: string;
  /** How it is run; `undefined` for one that nothing is known to run. */
  readonly way: string | undefined;
}

/** Paths of all documents of the repository, reports left out. */
export function allDocuments(): readonly string[] {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  return [...ROOTS, ...found.filter((path) => path.endsWith(".md") && !PASSED_OVER.test(path)).toSorted()];
}

/** All commands in blocks of documents that are marked `sh`, each once: without comments, one for each line and each `&&`. */
export function shownCommands(): readonly ShownCommand[] {
  const all = allDocuments().flatMap((document) =>
    shellBlocks(document)
      .flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
      .flatMap((line) => line.replace(/(^|\s)#\s.*$/, "").split("&&"))
      .map((line) => line.trim().replace(/\s+/g, " "))
      .filter((command) => command !== "")
      .map((command) => ({ document, command, way: WAYS.find(([pattern]) => pattern.test(command))?.[1] })),
  );
  return [...new Map(all.map((one) => [one.command, one])).values()];
}

function shellBlocks(document: string): readonly string[] {
  return readMarkdown(readDocument(document))
    .flatMap(allNodes)
    .flatMap(({ type, lang, value = "" }) => (type === "code" && lang === "sh" ? value : []));
}
