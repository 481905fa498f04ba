import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { answer } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { ANSWERING, FAULTY } from "./cases.js";
import {
  expectAccountsWithinFlight,
  expectConservation,
  expectSameAccounts,
  expectSameBytes,
} from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";

const REQUESTS = 120;

describe.each(BUILT_IN_ENGINES.filter(({ supports }) => supports.keepAliveOff))(
  "engine $name with a connection for each request",
  (engine) => {
    const children = createChildPool("generator");
    let server: GroundTruthServer | undefined;
    afterEach(() => server?.close());
    afterAll(() => children.close());

    it.each(ANSWERING)("agrees with the server on $name, and on every byte", async ({ behaviour, load }) => {
      server = await startGroundTruthServer(behaviour);
      const level = { connections: 10, requests: REQUESTS };
      const options = { ...load, keepAlive: false, generators: 3 };
      const { measurement } = await engine.run(aLoad(server.url, level, options), aContext(children));
      await server.drained();
      expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
      expect(measurement.connections).toEqual({ asked: 10, opened: 10, established: REQUESTS });
      expectConservation(measurement);
      expectSameAccounts(measurement, server.log);
      expectSameBytes(measurement, server.log);
    });

    it.each(FAULTY)("agrees with a server that $name", async ({ behaviour, load }) => {
      server = await startGroundTruthServer(behaviour);
      const level = { connections: 10, requests: REQUESTS };
      const options = { ...load, keepAlive: false };
      const { measurement } = await engine.run(aLoad(server.url, level, options), aContext(children));
      await server.drained();
      expect(measurement.connections.established).toBe(REQUESTS);
      expectConservation(measurement);
      expectSameAccounts(measurement, server.log);
    });

    it("agrees within what is in flight when it is cut, and to the last one when it is drained", async () => {
      for (const atEnd of ["cut", "drain"] as const) {
        const target = await startGroundTruthServer(() => answer());
        server = target;
        const load = aLoad(target.url, { connections: 10, durationMs: 200 }, { keepAlive: false, atEnd });
        const { measurement } = await engine.run(load, aContext(children));
        await target.drained();
        expectConservation(measurement);
        if (atEnd === "cut") expectAccountsWithinFlight(measurement, target.log);
        else expectSameAccounts(measurement, target.log);
        await target.close();
      }
    });

    it("says that the connection is to be closed", async () => {
      const heads = new Set<string>();
      server = await startGroundTruthServer((_, { head }) => {
        heads.add(head);
        return answer();
      });
      const load = aLoad(server.url, { connections: 2, requests: 10 }, { keepAlive: false });
      await engine.run(load, aContext(children));
      expect([...heads]).toEqual([expect.stringContaining("\r\nConnection: close")]);
    });
  },
);
