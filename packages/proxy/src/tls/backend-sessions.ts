import type { TLSSocket } from "node:tls";
import type { BackendSnapshot } from "../options/options.js";
import type { ResolvedBackend } from "../options/resolve-options.js";

/** What is remembered of TLS with one backend. */
interface Sessions {
  /** The last session that it gave, to be offered to it again. */
  latest: Buffer | undefined;
  full: number;
  resumed: number;
}

/** By the object that stands for a backend: each balancer has its own, and one that is added again is another one. */
const SESSIONS = new WeakMap<ResolvedBackend, Sessions>();

function sessionsOf(backend: ResolvedBackend): Sessions {
  const known = SESSIONS.get(backend) ?? { latest: undefined, full: 0, resumed: 0 };
  SESSIONS.set(backend, known);
  return known;
}

/** What a new connection to a backend offers to go on with. */
export function latestSession(backend: ResolvedBackend): Buffer | undefined {
  return sessionsOf(backend).latest;
}

/** Keeps the sessions that a backend gives on a new connection, and counts how its handshake ends. One that fails may be the fault of what was offered. */
export function rememberSessions(backend: ResolvedBackend, socket: TLSSocket): void {
  const sessions = sessionsOf(backend);
  const forget = (): void => void (sessions.latest = undefined);
  socket.once("close", forget);
  socket.once("secureConnect", () => {
    socket.off("close", forget);
    sessions[socket.isSessionReused() ? "resumed" : "full"] += 1;
  });
  // Node tells of it when the certificate has been verified, and not before. With TLS 1.3 there may be several.
  socket.on("session", (session) => (sessions.latest = session));
}

/** How many handshakes with a backend have ended well; nothing for one that is not spoken to by TLS. */
export function handshakesWith(backend: ResolvedBackend): Pick<BackendSnapshot, "handshakes"> {
  if (!backend.secure) return {};
  const { full, resumed } = sessionsOf(backend);
  return { handshakes: { full, resumed } };
}
