import { once } from "node:events";
import { connect, type ConnectionOptions } from "node:tls";
import { CART, INTERNAL, LOCALHOST, SHOP, SHOP_RSA } from "@lbbench/test-support/certificates.js";

const TRUSTED = [LOCALHOST, INTERNAL, SHOP, SHOP_RSA, CART].map(({ cert }) => cert);

/** The versions of TLS that clients speak. */
export const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"] as const;

/** Options of a client that speaks one version alone. */
export function speaking(version: (typeof TLS_VERSIONS)[number]) {
  return { minVersion: version, maxVersion: version };
}

/** Makes a connection, asks for `/` once over HTTP/1.1, and closes it. */
export async function askOverTls(port: number, options: ConnectionOptions = {}) {
  // Whether the certificate is of the name is for the test to say.
  const socket = connect({ port, ca: TRUSTED, checkServerIdentity: () => undefined, ...options });
  let session = options.session;
  let answer = "";
  socket.on("session", (given) => (session = given)).on("data", (piece) => (answer += piece.toString("latin1")));
  await once(socket, "secureConnect");
  const isResumed = socket.isSessionReused();
  const x509 = socket.getPeerX509Certificate();
  const name = /^CN=(.*)$/m.exec(x509?.subject ?? "")?.[1];
  socket.write("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  return { status: answer.slice(9, 12), name, kind: x509?.publicKey.asymmetricKeyType, isResumed, session };
}

/** Makes connections one after the other, each of which offers the session that was given last; returns how many were resumed. */
export async function askAgain(port: number, times: number, options: ConnectionOptions): Promise<number> {
  let resumed = 0;
  let { session } = options;
  for (let time = 0; time < times; time++) {
    const asked = await askOverTls(port, { ...options, ...(session && { session }) });
    session = asked.session;
    resumed += Number(asked.isResumed);
  }
  return resumed;
}
