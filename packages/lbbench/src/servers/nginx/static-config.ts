import { DEFAULTS } from "../../config/defaults.js";
import { renderChosen, type ChosenTemplate } from "../config-template.js";
import { OTHER_CONNECTIONS, type NginxPlace } from "./config.js";
import { STATIC_TEMPLATE } from "./static-template.js";

/** What the configuration of nginx alone is made of. */
export type NginxStaticSettings = {
  /** Folder that is served; a relative one is in the folder of the configuration. */
  readonly root: string;
  readonly workers: number;
  readonly clientConnections: number;
  readonly keepAliveRequests: number;
  readonly backlog: number;
};

/** What a template of nginx alone can say. */
export type NginxStaticView = NginxStaticSettings & {
  readonly host: string;
  readonly port: number;
  /** Path of the folder in which the configuration is; it is removed afterwards. */
  readonly folder: string;
  /** User and group for its workers; `null` where it cannot choose, because it is not run by root. */
  readonly user: string | null;
  /** Of each worker. */
  readonly workerConnections: number;
};

const BUILT_IN: ChosenTemplate = { text: STATIC_TEMPLATE, path: null };

/** Whether a path can be said in quotes in a configuration of nginx, which takes `$` for the start of a variable. */
export function canBeQuoted(path: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/["$\\\u0000-\u001F\u007F]/.test(path);
}

/** The configuration of nginx alone, which serves files. */
export function nginxStaticConfig(
  { root, workers, clientConnections, keepAliveRequests, backlog }: NginxStaticSettings,
  { port, folder, user }: NginxPlace,
  template = BUILT_IN,
): string {
  const view: NginxStaticView = {
    host: DEFAULTS.host,
    port,
    folder,
    user,
    root,
    workers,
    clientConnections,
    workerConnections: clientConnections + OTHER_CONNECTIONS,
    keepAliveRequests,
    backlog,
  };
  return renderChosen(template, view);
}
