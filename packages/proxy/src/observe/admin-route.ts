import type { IncomingMessage } from "node:http";
import type { BalancerSnapshot } from "../options/options.js";
import type { AdminReply } from "./admin-reply.js";

/** What a route is asked. */
export interface AdminRequest {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** The backend that the path names; empty if it names none. */
  readonly name: string;
}

/** A path and method that the admin server answers. */
export interface AdminRoute {
  /** Matches the whole path; its first group is the name of the backend, percent-encoded. */
  readonly path: RegExp;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly answer: (request: AdminRequest) => Promise<AdminReply>;
}

/** Where the admin server learns how the balancer is doing; of workers, their sum. */
export type ReadSnapshot = () => BalancerSnapshot | Promise<BalancerSnapshot>;
