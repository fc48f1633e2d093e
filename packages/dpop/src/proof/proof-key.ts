import type { KeyObject } from "node:crypto";
import type { PublicJwk } from "../jws/jwk.js";
import { createP256PublicKey } from "../jws/keys.js";
import { thumbprintOf } from "../thumbprint.js";

/** The key in a proof's header. Importing it is the dear part, so that waits until the claims are known to be right. */
export class ProofKey {
  /** The header as received, still encoded. */
  readonly headerSegment: string;
  /** For the cache: whether this client was back since the cache last looked. */
  wasBack = false;
  readonly #publicJwk: PublicJwk;
  #key: KeyObject | undefined;
  #thumbprint: string | undefined;

  constructor(headerSegment: string, publicJwk: PublicJwk) {
    this.headerSegment = headerSegment;
    this.#publicJwk = publicJwk;
  }

  /** @throws {JwsError} The point is not on the curve. */
  get key(): KeyObject {
    this.#key ??= createP256PublicKey(this.#publicJwk);
    return this.#key;
  }

  get thumbprint(): string {
    this.#thumbprint ??= thumbprintOf(this.#publicJwk);
    return this.#thumbprint;
  }
}
