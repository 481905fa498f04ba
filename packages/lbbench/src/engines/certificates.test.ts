import { expect, it } from "vitest";
import type { Measurement } from "../model/measurement.js";
import { fakeMeasurement } from "../testing/fake-engine.js";
import { CertificateError, checkCertificate } from "./certificates.js";

const URL = "https://shop.example:8443/cart";

function refusedBy(errorCodes: Measurement["errorCodes"], established = 0): Measurement {
  const measured = fakeMeasurement({ level: { connections: 4, requests: 8 } }, { requests: { connectErrors: 8 } });
  return { ...measured, connections: { ...measured.connections, established }, errorCodes };
}

it.each([
  [
    URL,
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    /^the certificate of https:\/\/shop\.example:8443 is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. /,
  ],
  [
    URL,
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    /set NODE_EXTRA_CA_CERTS to its file, .* Or accept any certificate \(--insecure, insecure: true\)\.$/,
  ],
  ["grpcs://shop.example", "SELF_SIGNED_CERT_IN_CHAIN", /NODE_EXTRA_CA_CERTS to its file/],
  [URL, "CERT_HAS_EXPIRED", /is refused \(CERT_HAS_EXPIRED\)\. Renew it\./],
  [URL, "ERR_TLS_CERT_ALTNAME_INVALID", /Measure a name that it is made for/],
])("says of %s what to do about %s", (url, code, message) => {
  expect(() => checkCertificate(refusedBy({ [code]: 8 }), url)).toThrow(CertificateError);
  expect(() => checkCertificate(refusedBy({ [code]: 8 }), url)).toThrow(message);
});

it.each([
  ["nothing failed", refusedBy({})],
  ["something else failed as well", refusedBy({ DEPTH_ZERO_SELF_SIGNED_CERT: 4, ECONNREFUSED: 4 })],
  ["some connections were made", refusedBy({ CERT_HAS_EXPIRED: 4 }, 1)],
  ["the name is none of a code", refusedBy({ constructor: 8 })],
])("says nothing where %s", (_, measurement) => {
  expect(() => checkCertificate(measurement, URL)).not.toThrow();
});
