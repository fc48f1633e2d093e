import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflate, gzip } from "node:zlib";
import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { EndedEntries } from "../../store/status-list.js";
import type { Store } from "../../store/store.js";
import type { Keys } from "../keys/keys.js";
import { inSeconds, statusListUri, tokenHeaders } from "../tokens/claims.js";

/** The media type of a Status List Token as a JWT. */
export const statusListType = `application/${tokenHeaders.statusList}`;

/** Seconds for which services use a copy: the `ttl`. */
const ttlSeconds = 10;
/** Minimum interval between two readings of the database. */
const deriveSeconds = 2;
/** A reading that takes long is repeated less often: a tenth of the time is spent reading, up to the longest interval. */
const readingShare = 0.1;
/** Maximum interval: services read the list every seven seconds, and an end has to reach them within twelve. */
const longestDeriveSeconds = 5;
/** Longer than any token lives that is checked with the list. */
const lifetimeSeconds = 900;
/** An unchanged list is signed again after this time. */
const signSeconds = 60;
/** Below this, compressing saves less than its header costs. */
const smallestGzipped = 1024;

const compress = { deflate: promisify(deflate), gzip: promisify(gzip) };

/** The signed list, as it is sent. */
interface StatusListDocument {
  readonly body: string;
  /** Absent when it would be no shorter. */
  readonly gzipped: Buffer | undefined;
  readonly etag: string;
}

/**
 * Returns the token status list, read from the database about two seconds ago, five at most when reading takes long. While the database is away the last list is sent,
 * until it expires: no end can be stored either.
 *
 * @throws the error of the database, when there is no list to fall back on
 */
export type StatusList = () => Promise<StatusListDocument>;

interface StatusListOptions {
  readonly issuer: string;
  readonly store: { readonly statusList: Pick<Store["statusList"], "readEnded"> };
  readonly keys: Pick<Keys, "sign" | "keySet">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

interface Derived extends StatusListDocument {
  readonly expiresAt: number;
}

/** @see {@link https://www.ietf.org/archive/id/draft-ietf-oauth-status-list-21.html#section-5.1 | draft-ietf-oauth-status-list §5.1} */
export function createStatusList(options: StatusListOptions): StatusList {
  const { store, clock, log } = options;
  let derived: Derived | undefined;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let pauseMilliseconds = deriveSeconds * 1000;
  let running: Promise<void> | undefined;

  async function derive(): Promise<void> {
    const begun = performance.now();
    try {
      derived = await deriveList(await store.statusList.readEnded(), { ...options, known: derived });
    } catch (error) {
      if (derived === undefined || derived.expiresAt <= clock()) throw error;
      log.warn(
        { code: "STATUS_LIST_NOT_READ", err: error },
        "The token status list could not be read again; services get the last one.",
      );
    } finally {
      const wanted = (performance.now() - begun) / readingShare;
      pauseMilliseconds = Math.min(Math.max(wanted, deriveSeconds * 1000), longestDeriveSeconds * 1000);
      running = undefined;
    }
  }

  return async () => {
    // `abs`: a clock that was set back must not keep an old list.
    if (running === undefined && Math.abs(clock() - attemptedAt) >= pauseMilliseconds) {
      attemptedAt = clock();
      running = derive();
    }
    await running;
    if (derived !== undefined && derived.expiresAt > clock()) return derived;
    // There is no list, and an attempt has just failed.
    running ??= derive();
    await running;
    return derived as Derived;
  };
}

/** Signs the list, unless it is what it was. */
async function deriveList(
  ended: EndedEntries,
  { issuer, keys, clock, known }: StatusListOptions & { readonly known: Derived | undefined },
): Promise<Derived> {
  const bits = toBits(ended);
  const now = new Date(clock());
  const iat = inSeconds(now);
  const etag = etagOf(bits, [JSON.stringify(keys.keySet()), Math.floor(iat / signSeconds)]);
  if (known?.etag === etag) return known;
  // At the usual level: the highest takes forty times as long for an eighth less.
  const compressed = await compress.deflate(bits);
  const body = keys.sign(
    { typ: tokenHeaders.statusList },
    {
      sub: statusListUri(issuer),
      iat,
      exp: iat + lifetimeSeconds,
      ttl: ttlSeconds,
      status_list: { bits: 1, lst: compressed.toString("base64url") },
    },
  );
  const gzipped = body.length < smallestGzipped ? undefined : await compress.gzip(body);
  return { body, gzipped, etag, expiresAt: (iat + lifetimeSeconds) * 1000 };
}

/**
 * One bit for each index, for twice the capacity: it may double while services use this list, and they refuse an index beyond it.
 */
function toBits({ capacity, indexes, everything }: EndedEntries): Buffer {
  const bits = Buffer.alloc((2 * capacity) / 8, everything ? 0xff : 0);
  for (let at = 0; at < indexes.length; at += 4) {
    const index = indexes.readUInt32BE(at);
    // Below the capacity, by the function that draws.
    bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
  }
  return bits;
}

/** The same in every process. Weak, because one list is sent in two encodings and signed by each process. */
function etagOf(bits: Buffer, others: readonly unknown[]): string {
  const hash = createHash("sha256").update(bits).update(JSON.stringify(others));
  return `W/"${hash.digest("base64url")}"`;
}
