import { readDocument } from "@lbbench/test-support/repository.js";

/** The workflow that it recommends, as YAML. */
export function recommendedWorkflow(): string {
  return firstBlock("yaml");
}

/** The config file of that workflow. */
export function recommendedConfig(): object {
  return JSON.parse(firstBlock("json")) as object;
}

function firstBlock(language: string): string {
  const document = readDocument("docs/github-action.md");
  const [, block = ""] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(document) ?? [];
  return block;
}
