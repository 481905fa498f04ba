import { describe, expect, it } from "vitest";
import { attributePorts } from "./port-account.js";

const DESTINATIONS = [
  { address: "127.0.0.1", port: 41_001, taken: 900 },
  { address: "127.0.0.1", port: 8080, taken: 800 },
  { address: "::1", port: 41_002, taken: 700 },
];

describe("attributePorts", () => {
  it("takes connections to the port of the target for the generator's, and others for its balancer's", () => {
    expect(attributePorts(DESTINATIONS, "http://localhost:8080/page", true)).toEqual([
      { process: "generator", destination: "127.0.0.1:8080", taken: 800 },
      { process: "balancer", destination: "127.0.0.1:41001", taken: 900 },
    ]);
  });

  it("does not know whose the others are without a balancer", () => {
    expect(attributePorts(DESTINATIONS, "http://[::1]:41002/", false)).toEqual([
      { process: "generator", destination: "[::1]:41002", taken: 700 },
    ]);
  });
});
