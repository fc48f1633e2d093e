import { randomUUID } from "node:crypto";
import { type Clock, nowInSeconds, systemClock } from "../clock.js";
import { sha256Base64url } from "../jws/base64url.js";
import { type Es256KeyPair, importPrivateJwk, type PublicJwk, readPoint, thumbprintOf } from "../jws/keys.js";
import { encodeSegment, signSegments } from "../jws/sign-compact.js";
import { requireClock, requireKnownOptions } from "../options.js";

export interface ProofSignerOptions {
  clock?: Clock;
}

/** The request a proof is made for. */
export interface ProofRequest {
  /** As it will be sent; methods are case-sensitive. */
  method: string;
  /** Absolute; query and fragment do not become part of the proof. */
  url: string;
  /** The access token of the request, for `ath`. */
  accessToken?: string;
  /** The latest `DPoP-Nonce` of that server. */
  nonce?: string;
  /** Whole seconds by which the server's clock is ahead of this one, if known; negative when it is behind. 0 by default. */
  clockOffsetSeconds?: number;
}

/** Creates proofs with one key. */
export interface ProofSigner {
  /** RFC 7638 thumbprint of the key: the value of `dpop_jkt`. */
  readonly thumbprint: string;
  readonly publicJwk: PublicJwk;
  /**
   * Creates the value of the `DPoP` header for one request. Every request needs its own.
   *
   * @throws {TypeError} The method is not an HTTP method, the URL is not an absolute http(s) address, or the offset is not
   * a whole number.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.2 | RFC 9449 §4.2}
   */
  sign(request: ProofRequest): string;
}

const httpMethod = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Creates a signer of proofs. Create it once per key: it holds the imported key and the encoded header.
 *
 * @throws {TypeError} The key pair is not one for ES256, or an option is malformed or unknown.
 */
export function createProofSigner(keyPair: Es256KeyPair, options: ProofSignerOptions = {}): ProofSigner {
  requireKnownOptions("createProofSigner", options, ["clock"]);
  const { clock = systemClock } = options;
  requireClock("createProofSigner", clock);
  const { privateKey, publicJwk } = importKeyPair(keyPair);
  const headerSegment = encodeSegment({ typ: "dpop+jwt", alg: "ES256", jwk: publicJwk });

  return Object.freeze({
    thumbprint: thumbprintOf(publicJwk),
    publicJwk,
    sign({ method, url, accessToken, nonce, clockOffsetSeconds = 0 }: ProofRequest): string {
      if (!Number.isSafeInteger(clockOffsetSeconds)) {
        throw new TypeError("sign: clockOffsetSeconds must be a whole number.");
      }
      const claims = {
        jti: randomUUID(),
        htm: requireMethod(method),
        htu: targetOf(url),
        iat: nowInSeconds(clock) + clockOffsetSeconds,
        ath: accessToken === undefined ? undefined : sha256Base64url(accessToken),
        nonce,
      };
      return signSegments(headerSegment, claims, privateKey);
    },
  });
}

function importKeyPair(keyPair: Es256KeyPair): {
  privateKey: ReturnType<typeof importPrivateJwk>;
  publicJwk: PublicJwk;
} {
  try {
    const publicJwk = readPoint(keyPair.publicJwk);
    const privateKey = importPrivateJwk(keyPair.privateJwk);
    const { x, y } = keyPair.privateJwk;
    if (x !== publicJwk.x || y !== publicJwk.y) throw new Error("The two keys do not belong together.");
    return { privateKey, publicJwk: Object.freeze(publicJwk) };
  } catch (error) {
    throw new TypeError(
      "createProofSigner: keyPair must be { privateJwk, publicJwk } of one P-256 key, as generateEs256KeyPair() returns.",
      { cause: error },
    );
  }
}

function requireMethod(method: string): string {
  if (typeof method !== "string" || !httpMethod.test(method)) {
    throw new TypeError('sign: method must be an HTTP method, such as "GET".');
  }
  return method;
}

/** The URL as a URL parser writes it, which is how an HTTP client sends it. */
function targetOf(url: string): string {
  const { protocol, origin, pathname } = parseUrl(url);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError("sign: url must be an absolute http or https address.");
  }
  return origin + pathname;
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch (error) {
    throw new TypeError("sign: url must be an absolute http or https address.", { cause: error });
  }
}
