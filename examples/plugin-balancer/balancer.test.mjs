import { createServer } from "node:net";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import { balancerProgramContract } from "lbbench/testing";
import { relay } from "./balancer.mjs";

const other = createServer().listen(0, "127.0.0.1");
await once(other, "listening");
after(() => other.close());

describe("the balancer program", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (other.address());
  const refused = [{ template: "{ listen", says: ["JSON"] }];
  for (const { name, run } of balancerProgramContract(relay, { occupied: port, refused })) it(name, run);
});
