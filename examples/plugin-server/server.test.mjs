import { describe, it } from "node:test";
import { serverContract } from "lbbench/testing";
import server from "./server.mjs";

describe("the server plugin", () => {
  const subject = { options: () => ({ delayMs: 1 }) };
  for (const { name, run } of serverContract(server, subject)) it(name, run);
});
