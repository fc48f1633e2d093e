import { createHmac } from "node:crypto";
import { type Clock, nowInSeconds, systemClock } from "./clock.js";
import { requireClock, requireInteger, requireKnownOptions } from "./options.js";

/** Creates server nonces and recognizes them. */
export interface NonceSource {
  /** The nonce to send in `DPoP-Nonce`. It is computed once per half lifetime, so sending it every time is cheap. */
  current(): string;
  /** Whether a proof may carry this nonce now. */
  accepts(nonce: string): boolean;
}

export interface NonceSourceOptions {
  /** At least 32 bytes of randomness, the same in every process that answers for the service. */
  secret: string | Uint8Array;
  /** The longest time for which a nonce is accepted; the shortest is half of it. 300 by default. */
  lifetimeSeconds?: number;
  clock?: Clock;
}

/**
 * Creates nonces that every process with the same secret recognizes; nothing is stored.
 *
 * A nonce is the HMAC of a period of half a lifetime. A new secret costs each client one extra round trip.
 *
 * @throws {TypeError} An option is missing, malformed or unknown.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-8 | RFC 9449 §8 and §9}
 */
export function createNonceSource(options: NonceSourceOptions): NonceSource {
  requireKnownOptions("createNonceSource", options, ["secret", "lifetimeSeconds", "clock"]);
  const { secret, lifetimeSeconds = 300, clock = systemClock } = options;
  requireSecret(secret);
  requireInteger("createNonceSource: lifetimeSeconds", lifetimeSeconds, { min: 10, max: 86_400 });
  requireClock("createNonceSource", clock);

  const periodSeconds = lifetimeSeconds / 2;
  const key = typeof secret === "string" ? secret : Buffer.from(secret);
  let known: { period: number; previous: string; current: string; next: string } | undefined;

  function nonceOf(period: number): string {
    return createHmac("sha256", key).update(`dpop-nonce:${lifetimeSeconds}:${period}`).digest("base64url");
  }

  function nonces(): { previous: string; current: string; next: string } {
    const period = Math.floor(nowInSeconds(clock) / periodSeconds);
    if (known?.period !== period) {
      known = { period, previous: nonceOf(period - 1), current: nonceOf(period), next: nonceOf(period + 1) };
    }
    return known;
  }

  return Object.freeze({
    current: () => nonces().current,
    accepts(nonce: string): boolean {
      const { previous, current, next } = nonces();
      // `next` comes from a process whose clock is ahead. Nonces are public, so timing reveals nothing.
      return nonce === current || nonce === previous || nonce === next;
    },
  });
}

function requireSecret(secret: unknown): void {
  const bytes =
    typeof secret === "string" ? Buffer.byteLength(secret) : secret instanceof Uint8Array ? secret.length : 0;
  if (bytes < 32) {
    throw new TypeError(
      "createNonceSource: secret must be a string or Uint8Array of at least 32 bytes, for example from `openssl rand -hex 32`.",
    );
  }
}
