import type { BalancerProgramOptions } from "../balancer-program-options.js";
import { balancerView, type BalancerView, type ProgramPlace } from "../balancer-program-view.js";
import { renderChosen, type ChosenTemplate } from "../config-template.js";
import type { StartedBackend } from "../start-in-front.js";
import { haproxyBalance } from "./balance.js";
import { TEMPLATE } from "./template.js";

/** What a template of HAProxy can say. */
export type HaproxyView = BalancerView & {
  /** What follows `balance`. */
  readonly algorithm: string;
  /** Whether most keys stay where they are when a backend comes or goes. */
  readonly consistent: boolean;
  /** Where it is asked for its counts: with a `stats socket` there, and the servers called by their names, shares are its own. */
  readonly statsSocket: string;
};

/** Name of the socket in the folder of the configuration. */
export const STATS_SOCKET = "stats.sock";

const BUILT_IN: ChosenTemplate = { text: TEMPLATE, path: null };

/** The configuration of HAProxy in front of backends; throws a `StartError` for what it cannot say. */
export function haproxyConfig(
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  place: ProgramPlace,
  template = BUILT_IN,
): string {
  const view: HaproxyView = {
    ...balancerView(options, backends, place),
    ...haproxyBalance(options.policy),
    // Relative to the folder, because the path of a socket may not be long.
    statsSocket: `unix@${STATS_SOCKET}`,
  };
  return renderChosen(template, view);
}
