import { describe, expect, it } from "vitest";
import { processTree } from "../run/usage/process-tree.js";
import { calibrate } from "./calibrate.js";

describe("calibrate", () => {
  it("measures what the generator can do, without a failure, and leaves nothing running", async () => {
    const calibration = await calibrate(new AbortController().signal);
    expect(calibration).toMatchObject({ connections: 50, failed: 0 });
    expect(calibration.requestsPerSecond).toBeGreaterThan(0);
    expect(calibration.p99Ms).toBeGreaterThan(0);
    expect(calibration.generatorCpu).toBeGreaterThan(0);
    expect(calibration.serverCpu).toBeGreaterThan(0);
    expect(await processTree(process.pid)).toEqual([process.pid]);
  });

  it("stops at once when it is told to, and leaves nothing running", async () => {
    const reason = new Error("enough");
    await expect(calibrate(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await processTree(process.pid)).toEqual([process.pid]);
  });
});
