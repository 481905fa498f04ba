import { createHash, X509Certificate } from "node:crypto";
import type { CertificateOptions } from "../options/options.js";

/** Certificates of the same names whose keys are of different kinds, such as EC and RSA: OpenSSL shows the one that a client can read. */
export interface CertificateGroup {
  readonly names: readonly string[];
  readonly cert: CertificateOptions["cert"][];
  readonly key: CertificateOptions["key"][];
}

/** Groups certificates that can be read by their names, in their order; of two of the same names and kind the first counts. */
export function groupCertificates(certificates: readonly CertificateOptions[]): readonly CertificateGroup[] {
  const groups = new Map<string, CertificateGroup>();
  const known = new Set<string>();
  for (const { cert, key } of certificates) {
    const x509 = new X509Certificate(cert);
    const names = namesOf(x509);
    const together = names.join();
    const group = groups.get(together) ?? { names, cert: [], key: [] };
    const kind = `${x509.publicKey.asymmetricKeyType} ${together}`;
    if (known.has(kind)) continue;
    known.add(kind);
    group.cert.push(cert);
    group.key.push(key);
    groups.set(together, group);
  }
  return [...groups.values()];
}

/** What identifies the sessions of a group, in as many characters as OpenSSL takes: renewed certificates of the same names go on with them. */
export function sessionContextOf({ names }: CertificateGroup): string {
  return createHash("sha256").update(names.join()).digest("hex").slice(0, 32);
}

/** By what is found for each name: that of the exact name, else of `*.` and what is behind its first label. The first that has a name counts. */
export function findByName<Value>(
  all: readonly { readonly names: readonly string[]; readonly value: Value }[],
): (name: string) => Value | undefined {
  const known = new Map<string, Value>();
  for (const { names, value } of all) for (const name of names) if (!known.has(name)) known.set(name, value);
  return (asked) => {
    const name = asked.toLowerCase();
    return known.get(name) ?? known.get(`*${name.slice(name.indexOf("."))}`);
  };
}

/**
 * The names of hosts that a certificate is for, sorted and in small letters: those of its subjectAltName, or without any its common name (RFC 6125,
 * 6.4.4).
 */
function namesOf({ subjectAltName, subject }: X509Certificate): readonly string[] {
  const alternative = [...(subjectAltName ?? "").matchAll(/(?:^|, )DNS:([^,"]+)/g)];
  const found = alternative.length > 0 ? alternative : [...(subject ?? "").matchAll(/^CN=(\S+)$/gm)];
  return found.map(([, name = ""]) => name.toLowerCase()).toSorted();
}
