import { fileURLToPath } from "node:url";
import { balancerProgram } from "lbbench";

/** The configuration, as a Mustache template: docs/servers.md says what it can say. */
const TEMPLATE = `{
  "listen": { "host": "{{host}}", "port": {{port}}, "backlog": {{backlog}} },
  "admin": {{adminPort}},
  "policy": "{{policy}}",
  "keepAlive": {{keepAlive}},
  "most": {{#maxConnections}}{{maxConnections}}{{/maxConnections}}{{^maxConnections}}null{{/maxConnections}},
  "backends": "{{#backends}}{{^down}}{{address}} {{/down}}{{/backends}}"
}
`;

/**
 * What it tells of each backend, by the name that the template knows. One that is drained it does not use.
 *
 * @param {import("lbbench").ProgramPlace} at
 */
async function look({ adminPort, backends }) {
  /** @type {any} */
  const told = await (await fetch(`http://127.0.0.1:${adminPort}`)).json();
  return new Map(
    backends.flatMap(({ name, address }) => {
      const found = told.find((/** @type {{ address: string }} */ one) => one.address === address);
      if (found === undefined) return [];
      return [[name, { share: { requests: found.requests }, isDrained: false, active: found.active }]];
    }),
  );
}

/**
 * How relay.mjs is configured, started, reloaded and stopped.
 *
 * @type {import("lbbench").BalancerProgram}
 */
export const relay = {
  name: "relay",
  program: process.execPath,
  installation: { title: "Relay" },
  versionArgs: ["--version"],
  templates: { "relay.json": TEMPLATE },
  args: [fileURLToPath(new URL("relay.mjs", import.meta.url)), "relay.json"],
  // What it calls the policies that it has; all others are refused.
  policies: {
    "round-robin": { words: { policy: "in-turn" }, isUnweighted: true },
    random: { words: { policy: "random" }, isUnweighted: true },
  },
  // What it cannot do is refused, too.
  lacks: ["workers", "tls", "http2", "grpc"],
  // By a template of the user's it may not be asked.
  isUp: async (at) => at.isOurs && look(at),
  look,
  // A backend that is drained is left out of the list.
  reload: async (_at, life) => process.kill(life.pid, "SIGHUP"),
  finishBy: "SIGTERM",
};

export default balancerProgram(relay);
