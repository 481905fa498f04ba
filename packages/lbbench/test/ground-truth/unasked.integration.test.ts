import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { answer } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { expectConservation } from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";

const REQUESTS = 21;
const SECOND_ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain";

describe.each(BUILT_IN_ENGINES)("engine $name, answered more often than it asked,", (engine) => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  it.each([1, 2, 5])("takes none of %i further answers in the packet for one to the next request", async (further) => {
    server = await startGroundTruthServer(() => answer({ after: SECOND_ANSWER.repeat(further) }));
    const load = aLoad(server.url, { connections: 1, requests: REQUESTS });
    const { measurement } = await engine.run(load, aContext(children));
    await server.drained();

    // Every other request leaves on a connection on which its answer, it seems, has been waiting.
    expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: 11, mismatched: 10 });
    expect(measurement.errorCodes).toEqual({ UNASKED_RESPONSE: 10 });
    expect(measurement.connections.established).toBe(11);
    expect(server.log).toMatchObject({ requests: REQUESTS, accepted: 11 });
    expectConservation(measurement);
  });

  it.each([SECOND_ANSWER, SECOND_ANSWER.repeat(3), "\0\u0001 no HTTP\r\n"])(
    "ignores what follows the last answer of a connection: %j",
    async (after) => {
      const headers = ["Connection: close", "Content-Length: 5"];
      server = await startGroundTruthServer(() => answer({ headers, after, close: true }));
      const load = aLoad(server.url, { connections: 4, requests: REQUESTS });
      const { measurement } = await engine.run(load, aContext(children));
      await server.drained();

      expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
      expect(measurement.connections.established).toBe(REQUESTS);
      expect(measurement.bytes.body).toBe(server.log.bodyBytes);
      expect(server.log).toMatchObject({ requests: REQUESTS, accepted: REQUESTS });
      expectConservation(measurement);
    },
  );
});
