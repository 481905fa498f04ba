import { afterAll, describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { balancerProgramContract } from "../testing/balancer-contract.js";
import { BALANCER_PROGRAMS } from "./balancer-programs.js";
import { occupyPort } from "./test-support/occupied-port.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";

const temporary = useOwnTemporaryFolder();
// Cases are made before hooks run, and their options name this.
const occupied = await occupyPort();
afterAll(() => occupied.free());

/** A configuration that each does not take, and what the error has to say. */
const REFUSED: Readonly<Record<string, readonly [template: string, ...says: (string | RegExp)[]]>> = {
  nginx: ["evnts {}", /unknown directive "evnts"/, /is: evnts {}/],
  haproxy: ["globl\n", /\[haproxy\.cfg:1\]/, /is: globl/],
  caddy: ["{\n\tautohttps off\n}\n", /Caddyfile:2/, /is: autohttps off/],
  envoy: ["static_resorces: {}\n", "envoy.yaml", "static_resorces"],
  traefik: ["http: { services: [] }\n", "traefik.yaml", "services"],
};

describe.each(BALANCER_PROGRAMS.map((row) => ({ name: row.name, row })))("$name", ({ name, row }) => {
  const [template, ...says] = REFUSED[name] ?? [""];
  const refused = [{ template, says }];
  const contract = balancerProgramContract(row, { occupied: occupied.port, refused });
  it.runIf(needs(name)).each(contract)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
    expect(temporary.content()).toEqual([]);
  });
});
