import type { JsonFields } from "../transport/json-fields.js";
import type { Clock } from "../transport/time.js";

/** A token that ends within this time is treated as ended, so that it survives the way to the server. */
const marginMs = 10_000;

/** A token and the epoch millisecond at which it ends. */
export interface KeptToken {
  value: string;
  expiresAt: number;
}

/** Whether a token is still good. */
export function isFresh({ expiresAt }: KeptToken, now: number): boolean {
  return expiresAt - marginMs > now;
}

/** The access token of a token answer, which must be bound to the caller's key (RFC 9449 §5). */
export function keptToken(fields: JsonFields, now: number): KeptToken {
  fields.oneOf("token_type", ["DPoP"]);
  return { value: fields.string("access_token"), expiresAt: now + fields.seconds("expires_in") * 1000 };
}

/** What a token is asked for with. */
export interface TokenQuestion {
  /** What the token is for. */
  key: string;
  /** A token that a service just refused: a kept one with this value is not used. */
  refused?: string | undefined;
  /** The token of that key that the caller knows, if any. */
  kept: KeptToken | undefined;
  /** The one that is there by now, when the caller's may be out of date. */
  reload?: () => Promise<KeptToken | undefined>;
  /** Gets a new one, and keeps it. */
  obtain: () => Promise<KeptToken>;
  /** Does work for this key while no other process does. */
  alone?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Gives tokens for services while they are good, and gets each new one once, however many ask for it at a time. */
export class TokenCache {
  readonly #clock: Clock;
  readonly #underway = new Map<string, Promise<KeptToken>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(question: TokenQuestion): Promise<string> {
    const { key, kept, refused } = question;
    if (this.#isGood(kept, refused)) return kept.value;
    let work = this.#underway.get(key);
    if (work === undefined) {
      work = this.#renew(question).finally(() => this.#underway.delete(key));
      this.#underway.set(key, work);
    }
    return (await work).value;
  }

  async #renew({ refused, reload, obtain, alone = runNow }: TokenQuestion): Promise<KeptToken> {
    return await alone(async () => {
      const now = await reload?.();
      return this.#isGood(now, refused) ? now : await obtain();
    });
  }

  #isGood(token: KeptToken | undefined, refused: string | undefined): token is KeptToken {
    return token !== undefined && token.value !== refused && isFresh(token, this.#clock());
  }
}

async function runNow<T>(work: () => Promise<T>): Promise<T> {
  return await work();
}
