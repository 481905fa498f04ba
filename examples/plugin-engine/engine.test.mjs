import { describe, it } from "node:test";
import { engineContract } from "lbbench/testing";
import engine from "./engine.mjs";

describe("the engine", () => {
  for (const { name, run } of engineContract(engine)) it(name, run);
});
