import { match } from "node:assert/strict";
import { describe, it } from "node:test";
import { createSampleResult, reporterContract } from "lbbench/testing";
import reporter from "./chat-message.mjs";

describe("the reporter", () => {
  for (const { name, run } of reporterContract(reporter)) it(name, run);

  it("tells the verdict first", async () => {
    const [file] = await reporter.render(createSampleResult(), { charts: "none" });
    match(String(file?.content), /^{"text":"[^"]*: (pass|fail|inconclusive)\\n/);
  });
});
