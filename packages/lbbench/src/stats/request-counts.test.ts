import { describe, expect, it } from "vitest";
import { failedRequests, finishedRequests } from "./request-counts.js";

describe("request counts", () => {
  it("leaves out what was in flight when the run ended", () => {
    const requests = { sent: 100, ok: 80, non2xx: 5, resets: 10, inFlight: 5 };
    expect(finishedRequests(requests)).toBe(95);
    expect(failedRequests(requests)).toBe(15);
  });

  it("takes nothing to be in flight where an engine does not tell", () => {
    expect(failedRequests({ sent: 100, ok: 80, non2xx: 0, unclassified: 20 })).toBe(20);
  });
});
