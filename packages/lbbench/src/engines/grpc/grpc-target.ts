/** Where calls go. */
export interface GrpcTarget {
  /** As grpc-js wants it: `dns:host:port`. */
  readonly address: string;
  /** Whether it is reached over TLS. */
  readonly secure: boolean;
}

/** Reads `grpc://host:port` or `grpcs://host:port`; throws an `Error` for anything else. */
export function parseGrpcTarget(text: string): GrpcTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "grpcs:";
  if (url === undefined || (!secure && url.protocol !== "grpc:") || url.hostname === "" || url.port === "") {
    throw new Error(
      `The engine "grpc" expected a URL with a port, such as grpc://127.0.0.1:50051 (grpcs:// for TLS), got "${text}"`,
    );
  }
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.username !== "") {
    throw new Error(
      `The engine "grpc" expected a URL of host and port alone, grpc://${url.host}, got "${text}". ` +
        "Which method is called is said by its option call.",
    );
  }
  return { address: `dns:${url.host}`, secure };
}
