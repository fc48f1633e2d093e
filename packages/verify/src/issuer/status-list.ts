import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { Clock } from "@authz/dpop";
import { decodeBase64url, isJsonObject, JwsError, type JsonObject } from "@authz/dpop/jws";
import { checkLifetime, checkSignature, JwtError, type JwtKind, parseJwt } from "@authz/dpop/jwt";
import { AuthzError, AuthzUnavailableError, issuerUnavailable } from "../errors.js";
import { type AuthzLog, describeFailure } from "../log.js";
import { type DocumentSource, fetchLimited } from "./fetch-document.js";
import type { IssuerKeys } from "./issuer-keys.js";
import type { IssuerAddress } from "./metadata-document.js";

/** Where the issuer's token status list is: the only address that a token may name, and the only one that is fetched. */
function statusListUri(issuer: string): string {
  return `${issuer}/oauth/status`;
}

/** Limits of the list: a list of two million grants that have all just ended is below a quarter of both. */
const kind: JwtKind = { type: "statuslist+jwt", maxBytes: 4 * 1024 * 1024 };
const maximumBytes = 8 * 1024 * 1024;
const maximumLifetimeSeconds = 3600;

/** Bounds of the issuer's `ttl`, in seconds. */
const ttlBounds = { least: 1, most: 60, usual: 10 };
/** The part of `ttl` after which a list in use is read again, so that a change is seen within `ttl`. */
const renewalShare = 0.7;
/** Maximum wait of a request for a newer list; a healthy issuer answers within this time. */
const renewalWaitMilliseconds = 1_000;

const inflateLimited = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

/** The status of tokens as the issuer published it last. */
export interface StatusList {
  /** Undefined when the list is off: then tokens are not read for a status. */
  readonly uri: string | undefined;
  /**
   * Makes sure that the list is at most as old as its `ttl`. Undefined when it is, so that nothing waits; otherwise a promise that
   * takes a second at most.
   */
  renew(): Promise<void> | undefined;
  /**
   * Checks an entry. Undefined, and any entry before a list could be read, is accepted.
   *
   * @throws {AuthzError} `revoked`; `jwt_status`: the list has no such entry
   */
  check(index: number | undefined, code: "invalid_token" | "invalid_grant"): void;
}

export interface StatusListOptions extends IssuerAddress, DocumentSource {
  readonly statusList: boolean;
  readonly issuerKeys: IssuerKeys;
  readonly clock: Clock;
  readonly log: AuthzLog;
}

/**
 * Reads the issuer's token status list while tokens are checked: in the background before its `ttl` is over, and on demand after a
 * pause, for which a request waits a second at most, and once per outage.
 *
 * While the list cannot be read, the last one counts until it expires, which is longer than any token lives. Without one, tokens are
 * good until they expire, as they are without a list.
 */
export function createStatusList(options: StatusListOptions): StatusList {
  return options.statusList ? new ReadStatusList(options) : withoutList;
}

const withoutList: StatusList = Object.freeze({ uri: undefined, renew: () => undefined, check: () => {} });

interface Read {
  /** One bit for each entry, from the least significant one of each byte. */
  readonly bits: Uint8Array;
  readonly ttlSeconds: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly etag: string | undefined;
}

class ReadStatusList implements StatusList {
  readonly uri: string;
  readonly #options: StatusListOptions;
  #list: Read | undefined;
  #bits: Uint8Array = new Uint8Array();
  /** Until then the list is as young as its `ttl`, or reading it has just failed. */
  #currentUntil = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #used = false;
  #renewsItself = false;
  #failure: { readonly error: AuthzUnavailableError; isLogged: boolean } | undefined;
  /** Resolves when requests stop waiting; one per outage. */
  #wait: Promise<void> | undefined;

  constructor(options: StatusListOptions) {
    this.#options = options;
    this.uri = statusListUri(options.issuer);
  }

  renew(): Promise<void> | undefined {
    this.#used = true;
    return this.#options.clock() < this.#currentUntil ? undefined : this.#renewNow();
  }

  check(index: number | undefined, code: "invalid_token" | "invalid_grant"): void {
    if (index === undefined || this.#list === undefined) return;
    const byte = this.#bits[Math.floor(index / 8)];
    if (byte === undefined) throw new AuthzError(code, "jwt_status");
    if ((byte & (1 << (index & 7))) !== 0) throw new AuthzError(code, "revoked");
  }

  #renewNow(): Promise<void> | undefined {
    if (this.#list !== undefined && this.#list.expiresAt <= this.#options.clock()) this.#use(undefined);
    const running = this.#readOnce();
    if (this.#failure !== undefined) {
      this.#logFailure(this.#failure);
      return undefined;
    }
    this.#wait ??= delay(renewalWaitMilliseconds, undefined, { ref: false });
    return Promise.race([running, this.#wait]);
  }

  /** Joins the running request or starts one. */
  #readOnce(): Promise<void> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #read(): Promise<void> {
    const { clock, log } = this.#options;
    const askedAt = clock();
    try {
      const known = this.#list;
      this.#use(await fetchStatusList(this.uri, this.#options, known));
      if (known === undefined || this.#failure?.isLogged === true)
        log({ type: "status_list_loaded", entries: this.#bits.length * 8 });
      this.#failure = undefined;
      this.#wait = undefined;
    } catch (error) {
      if (!(error instanceof AuthzUnavailableError)) throw error;
      this.#failure = { error, isLogged: this.#failure?.isLogged ?? false };
    }
    const ttlSeconds = this.#list?.ttlSeconds ?? ttlBounds.usual;
    this.#currentUntil = askedAt + ttlSeconds * 1000;
    void this.#renewLater(ttlSeconds);
  }

  #use(list: Read | undefined): void {
    this.#list = list;
    this.#bits = list?.bits ?? new Uint8Array();
  }

  /** Reads again in the background, until no request has needed the list since the last time. */
  async #renewLater(ttlSeconds: number): Promise<void> {
    if (this.#renewsItself) return;
    this.#renewsItself = true;
    await delay(ttlSeconds * renewalShare * 1000, undefined, { ref: false });
    this.#renewsItself = false;
    if (!this.#used) return;
    this.#used = false;
    // Other errors than a failure of the issuer reach the next request, which tries again.
    await this.#readOnce().catch(() => undefined);
  }

  /** Only when a request needed the list: a service without requests has nothing to report. */
  #logFailure(failure: { readonly error: AuthzUnavailableError; isLogged: boolean }): void {
    if (failure.isLogged) return;
    failure.isLogged = true;
    const { error } = failure;
    this.#options.log({ type: "status_list_unavailable", failure: describeFailure(error), error });
  }
}

/** Fetches the list, or returns the known one when it is unchanged (304). */
async function fetchStatusList(
  uri: string,
  options: StatusListOptions,
  known: Read | undefined,
): Promise<Read> {
  const { issuer, discoveryProxyOrigin, clock } = options;
  const url =
    discoveryProxyOrigin === undefined
      ? uri
      : discoveryProxyOrigin + uri.slice(new URL(issuer).origin.length);
  const answer = await fetchLimited(url, options, {
    accept: `application/${kind.type}`,
    maximumBytes: kind.maxBytes,
    etag: known?.etag,
  });
  if (answer.body === undefined) {
    if (known !== undefined && known.expiresAt > clock()) return known;
    throw issuerUnavailable(`${url} answered 304, but the list that this service has is over.`);
  }
  try {
    const token = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString(
      "latin1",
    );
    return { ...(await readStatusList(token, uri, options)), etag: answer.etag };
  } catch (cause) {
    if (!(cause instanceof JwtError)) throw cause;
    throw issuerUnavailable(
      `${url} is no token status list of ${issuer} (${cause.reason}). Check the clocks, and what stands in between.`,
      { cause },
    );
  }
}

/**
 * Reads a Status List Token.
 *
 * @throws {JwtError}
 * @see {@link https://www.ietf.org/archive/id/draft-ietf-oauth-status-list-21.html#section-8.3 | draft-ietf-oauth-status-list §8.3}
 */
async function readStatusList(
  token: string,
  uri: string,
  { issuerKeys, clock }: Pick<StatusListOptions, "issuerKeys" | "clock">,
): Promise<Omit<Read, "etag">> {
  const jwt = parseJwt(token, kind);
  checkSignature(jwt, await issuerKeys.find(jwt.kid));
  const { sub, ttl, status_list: list } = jwt.claims;
  if (sub !== uri) throw new JwtError("subject");
  const now = Math.floor(clock() / 1000);
  const { expiresAt } = checkLifetime(jwt.claims, { now, maximum: maximumLifetimeSeconds });
  if (!isJsonObject(list) || list["bits"] !== 1) throw new JwtError("status");
  return { bits: await inflateList(list), ttlSeconds: readTtl(ttl), expiresAt: expiresAt * 1000 };
}

async function inflateList({ lst }: JsonObject): Promise<Uint8Array> {
  if (typeof lst !== "string") throw new JwtError("status");
  try {
    return await inflateLimited(decodeBase64url(lst), { maxOutputLength: maximumBytes });
  } catch (cause) {
    // The errors of zlib are `Error`s with a code.
    if (cause instanceof JwsError || (cause as NodeJS.ErrnoException).code !== undefined)
      throw new JwtError("status", { cause });
    throw cause;
  }
}

function readTtl(ttl: unknown): number {
  if (ttl === undefined) return ttlBounds.usual;
  if (typeof ttl !== "number" || !(ttl > 0)) throw new JwtError("status");
  return Math.min(Math.max(ttl, ttlBounds.least), ttlBounds.most);
}
