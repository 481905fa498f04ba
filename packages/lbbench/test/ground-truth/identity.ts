import { readFileSync } from "node:fs";
import type { ServerIdentity } from "../../src/testing/ground-truth/truth-server.js";
import { fixture } from "../support/fixture.js";

/** Self-signed, for localhost and 127.0.0.1, valid for a hundred years; good for nothing but tests. */
export const IDENTITY: ServerIdentity = {
  key: readFileSync(fixture("localhost-key.pem"), "utf8"),
  cert: readFileSync(fixture("localhost-cert.pem"), "utf8"),
};
