import type { Clock } from "../transport/time.js";

/** A `Date` header has whole seconds and was written a moment ago: less than this is no difference of clocks. */
const roundingSeconds = 2;

/** What goes into a proof because its server said so. */
export interface ProofHints {
  nonce?: string;
  clockOffsetSeconds?: number;
}

/**
 * What each origin has said about the proofs it takes: its newest nonce (RFC 9449 §8), and what time it is there.
 *
 * Only proofs for that origin follow it. They are good nowhere else, so a server can mislead a client only about itself.
 */
export class ServerHints {
  readonly #clock: Clock;
  readonly #nonces = new Map<string, string>();
  readonly #clockOffsets = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What a proof for an address takes from what was learned. */
  forProof(url: string): ProofHints {
    const { origin } = new URL(url);
    const nonce = this.#nonces.get(origin);
    const clockOffsetSeconds = this.#clockOffsets.get(origin);
    return {
      ...(nonce === undefined ? {} : { nonce }),
      ...(clockOffsetSeconds === undefined ? {} : { clockOffsetSeconds }),
    };
  }

  /** Remembers the nonce an answer brought. Answers whether there was one. */
  learnNonce(url: string, headers: Readonly<Record<string, string>>): boolean {
    const nonce = headers["dpop-nonce"];
    if (nonce === undefined || nonce === "") return false;
    this.#nonces.set(new URL(url).origin, nonce);
    return true;
  }

  /**
   * Follows the clock of a server that refused a proof. Answers whether the next proof will have another time. Where the proof
   * had the server's time already, that was not what was wrong, and nothing is followed any more.
   */
  learnClock(url: string, headers: Readonly<Record<string, string>>): boolean {
    const { origin } = new URL(url);
    const server = Date.parse(headers["date"] ?? "");
    if (Number.isNaN(server)) return false;
    const offset = Math.round((server - this.#clock()) / 1000);
    if (Math.abs(offset - (this.#clockOffsets.get(origin) ?? 0)) <= roundingSeconds) {
      this.#clockOffsets.delete(origin);
      return false;
    }
    this.#clockOffsets.set(origin, offset);
    return true;
  }
}
