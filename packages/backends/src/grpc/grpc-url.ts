import { urlOf, type Address } from "../address.js";
import { BackendStartError } from "../backend-start-error.js";

/** A URL, `grpc://host:port`, at which a client on the same machine reaches the address. */
export function grpcUrlOf(address: Address): string {
  return urlOf(address).replace(/^http:/, "grpc:");
}

/** `host:port` of a URL like `grpc://host:port`; throws a `BackendStartError` for anything else. */
export function parseUpstream(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url?.protocol === "grpc:" && url.hostname !== "" && url.port !== "" && text.endsWith(url.host);
  if (url === undefined || !isBare) {
    throw new BackendStartError(`upstream: expected a URL like grpc://127.0.0.1:50051, got "${text}".`);
  }
  return url.host;
}
