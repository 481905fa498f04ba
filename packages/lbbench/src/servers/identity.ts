/** The certificate of a server that lbbench starts. */
import { DEFAULTS } from "../config/defaults.js";

/** Types of a subject's other names, as RFC 5280 numbers them. */
const [DNS_NAME, IP_ADDRESS] = [2, 7] as const;

/** Makes a certificate for 127.0.0.1 and localhost, signed by itself, with a key of the curve P-256; both are texts in PEM. */
export async function makeIdentity() {
  // Loading it takes time, and only servers with TLS need it.
  const { generate } = await import("selfsigned");
  const made = await generate([{ name: "commonName", value: "lbbench" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: IP_ADDRESS, ip: DEFAULTS.host },
          { type: DNS_NAME, value: "localhost" },
        ],
      },
    ],
  });
  return { certificate: made.cert, key: made.private };
}
