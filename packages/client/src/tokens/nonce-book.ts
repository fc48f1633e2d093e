/** The newest DPoP nonce of each origin (RFC 9449 §8). */
export class NonceBook {
  readonly #nonces = new Map<string, string>();

  nonceFor(url: string): string | undefined {
    return this.#nonces.get(new URL(url).origin);
  }

  /** Remembers the nonce an answer brought. Answers whether there was one. */
  learn(url: string, headers: Readonly<Record<string, string>>): boolean {
    const nonce = headers["dpop-nonce"];
    if (nonce === undefined || nonce === "") return false;
    this.#nonces.set(new URL(url).origin, nonce);
    return true;
  }
}
