import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import type { BalancerProgramOptions } from "../balancer-program-options.js";
import { balancerView, type BalancerView, type ProgramPlace } from "../balancer-program-view.js";
import { renderChosen, type ChosenTemplate } from "../config-template.js";
import type { StartedBackend } from "../start-in-front.js";
import { BALANCER_TEMPLATE } from "./balancer-template.js";
import { nginxMethod } from "./method.js";

/** What a template of nginx in front of backends can say. */
export type NginxView = BalancerView & {
  /** User and group for its workers; `null` where it cannot choose, because it is not run by root. */
  readonly user: string | null;
  /** The directive of the policy, without the semicolon: `hash $http_x_user consistent`; empty for round robin. */
  readonly method: string;
  /** Whether its workers have to share what they know of the backends. */
  readonly shared: boolean;
  /** Of each worker, to clients and backends together. */
  readonly workerConnections: number;
  /** How often a request is sent at all. */
  readonly tries: number;
  /** Failures after which a backend is left out. */
  readonly failures: number;
  /** How long it is left out. */
  readonly ejectSeconds: number;
  /** More requests than a connection ever sees; nginx cannot be told not to count them. */
  readonly endlessRequests: number;
};

/** Where nginx runs, and as whom. */
export interface NginxPlace extends ProgramPlace {
  readonly user: string | null;
}

const MS_PER_SECOND = 1000;
const ENDLESS_REQUESTS = 1_000_000_000;

/** What a worker needs beside the connections that carry requests: where it listens, its way to the master. */
export const OTHER_CONNECTIONS = 2;

const BUILT_IN: ChosenTemplate = { text: BALANCER_TEMPLATE, path: null };

/** The configuration of nginx in front of backends; throws a `StartError` for what it cannot say. */
export function nginxConfig(
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  place: NginxPlace,
  template = BUILT_IN,
): string {
  const { workers, clientConnections, keepAlive, policy } = options;
  const { passiveHealth, retries } = BALANCER_DEFAULTS;
  const view: NginxView = {
    ...balancerView(options, backends, place),
    user: place.user,
    method: nginxMethod(policy),
    shared: workers > 1,
    // Every client may have a request under way, and connections that are kept may be to other backends than it needs.
    workerConnections: 2 * clientConnections + keepAlive + OTHER_CONNECTIONS,
    tries: retries + 1,
    failures: passiveHealth.failures,
    ejectSeconds: Math.ceil(passiveHealth.ejectMs / MS_PER_SECOND),
    endlessRequests: ENDLESS_REQUESTS,
  };
  return renderChosen(template, view);
}
