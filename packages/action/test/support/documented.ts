import { readFileSync } from "node:fs";

/** The document of the action. */
export function readDocument(): string {
  return readFileSync(new URL("../../../../docs/github-action.md", import.meta.url), "utf8");
}

/** The workflow that it recommends, as YAML. */
export function recommendedWorkflow(): string {
  return firstBlock("yaml");
}

/** The config file of that workflow. */
export function recommendedConfig(): object {
  return JSON.parse(firstBlock("json")) as object;
}

function firstBlock(language: string): string {
  const [, block = ""] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(readDocument()) ?? [];
  return block;
}
