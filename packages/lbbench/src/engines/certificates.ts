import type { Measurement } from "../model/measurement.js";

/** Codes of certificates that no known CA has signed. They are trusted if their own file, or that of their CA, is named. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Codes of certificates that are wrong by themselves, and what to do. */
const WRONG: ReadonlyMap<string, string> = new Map([
  ["CERT_HAS_EXPIRED", "Renew it."],
  ["CERT_NOT_YET_VALID", "Check the clocks of both machines, or make a new one."],
  ["CERT_REVOKED", "Make a new one."],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Measure a name that it is made for, or make one for this name."],
]);

/** Thrown where no connection was made because an engine refused the certificate of the target. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
  readonly code = "CERTIFICATE_REFUSED";
}

/**
 * Throws a {@link CertificateError} that says what to do, if an engine made no connection to `url` only because of its certificate.
 */
export function checkCertificate({ connections, errorCodes }: Measurement, url: string): void {
  const codes = Object.keys(errorCodes);
  const [code] = codes;
  if (code === undefined || (connections.established ?? 0) > 0) return;
  if (!codes.every((one) => UNTRUSTED.has(one) || WRONG.has(one))) return;
  const { protocol, host } = new URL(url);
  const what = WRONG.get(code) ?? "If you know it, set NODE_EXTRA_CA_CERTS to its file, or to that of its CA.";
  throw new CertificateError(
    `the certificate of ${protocol}//${host} is ${WRONG.has(code) ? "refused" : "not trusted"} (${code}). ${what} Or accept any certificate (--insecure, insecure: true).`,
  );
}
