import { createSecureContext } from "node:tls";
import * as z from "zod";
import { check, objectOf, refuse } from "./check.js";
import { BalancerOptionsError, type CertificateOptions, type TlsOptions } from "./options.js";

/** Bytes of `ticketKeys`, as Node has them: a name, a key to sign with and one to encrypt with, of 16 bytes each. */
export const TICKET_KEYS_BYTES = 48;

/** What is shown to clients, checked: one certificate at least. */
export interface ResolvedTls {
  readonly certificates: readonly CertificateOptions[];
  readonly ticketKeys: Buffer | undefined;
}

/** PEM that was not read yet. */
export const pem = z.custom<string | Buffer>(
  (value) => typeof value === "string" || Buffer.isBuffer(value),
  "PEM as a text or a Buffer",
);

const PAIR = { cert: pem, key: pem };
const CERTIFICATE = objectOf(PAIR);
const ticketKeys = z
  .custom<Buffer>(
    (value) => value instanceof Uint8Array && value.length === TICKET_KEYS_BYTES,
    `${TICKET_KEYS_BYTES} bytes as a Buffer`,
  )
  .optional();
const ONE = objectOf({ ...PAIR, ticketKeys });
const SEVERAL = objectOf({
  certificates: z.array(z.custom<CertificateOptions>(), "a list of { cert, key }"),
  ticketKeys,
});

/** Checks what clients are to be shown; throws a `BalancerOptionsError`. */
export function resolveTls(tls: TlsOptions): ResolvedTls {
  // Each form has messages of its own.
  if (typeof tls !== "object" || tls === null || !("certificates" in tls)) {
    const { ticketKeys: keys, ...certificate } = check(ONE, tls, "tls");
    return { certificates: [checkCertificate(certificate, "tls")], ticketKeys: keys };
  }
  const { ticketKeys: keys, certificates } = check(SEVERAL, tls, "tls");
  if (certificates.length === 0) refuse("tls.certificates", "a list with at least one { cert, key }", certificates);
  const checked = certificates.map((each, index) => {
    const place = `tls.certificates[${index}]`;
    return checkCertificate(check(CERTIFICATE, each, place), place);
  });
  return { certificates: checked, ticketKeys: keys };
}

/** Throws the `BalancerOptionsError` of certificates for a balancer that has no use for them. */
export function refuseWithoutTls(): never {
  throw new BalancerOptionsError(
    "tls: expected a balancer that speaks TLS with its clients, got one that does not. Create it with the option tls.",
  );
}

function checkCertificate({ cert, key }: CertificateOptions, place: string): CertificateOptions {
  tryPem({ cert }, `${place}.cert: expected a certificate as PEM`);
  tryPem({ key }, `${place}.key: expected a private key without a passphrase as PEM`);
  tryPem({ cert, key }, `${place}.key: expected the private key of the certificate beside it`);
  return { cert, key };
}

/** Lets OpenSSL read PEM now: a server would throw its error, which does not say which option it means. */
export function tryPem(given: Readonly<Partial<CertificateOptions>>, expected: string): void {
  try {
    // An empty text is one that was not given.
    if (Object.values(given).some((text) => text.length === 0)) throw new Error("it is empty");
    createSecureContext(given);
  } catch (error) {
    throw new BalancerOptionsError(`${expected}, got something else: ${(error as Error).message}.`);
  }
}
