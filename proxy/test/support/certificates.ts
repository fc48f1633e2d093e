import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** A certificate authority that exists only in this process: Node can read certificates, but not make them. */
export interface PrivateCa {
  /** PEM. */
  readonly certificate: string;
  /** A server certificate for one host, as `node:https` takes it. */
  issue(host: string): { readonly key: string; readonly cert: string };
}

export function createPrivateCa(name = "Private CA of a test"): PrivateCa {
  const ca = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issue = (subject: string, publicKey: KeyObject, extensions: readonly Buffer[]) =>
    toPem(certificate({ subject, publicKey, issuer: name, extensions }, ca.privateKey));
  return {
    certificate: issue(name, ca.publicKey, [
      extension("551d13", { critical: true, value: sequence(boolean(true)) }),
    ]),
    issue(host) {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const alternative = isIPv4(host)
        ? der(0x87, Buffer.from(host.split(".").map(Number)))
        : der(0x82, Buffer.from(host));
      const cert = issue(host, publicKey, [extension("551d11", { value: sequence(alternative) })]);
      return { key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(), cert };
    },
  };
}

interface ToBeSigned {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** RFC 5280 §4.1, valid from 2020 to 2049. */
function certificate({ subject, issuer, publicKey, extensions }: ToBeSigned, caKey: KeyObject): Buffer {
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    distinguishedName(issuer),
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z"))),
    distinguishedName(subject),
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", toBeSigned, caKey);
  return sequence(toBeSigned, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName)))));
}

function extension(id: string, { critical = false, value }: { critical?: boolean; value: Buffer }): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), der(0x04, value));
}

function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
