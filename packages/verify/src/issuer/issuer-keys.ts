import type { KeyObject } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@authz/dpop";
import { AuthzUnavailableError, issuerUnavailable } from "../errors.js";
import { type AuthzLog, describeFailure } from "../log.js";
import { type DocumentSource, fetchDocument } from "./fetch-document.js";
import { type KeySet, parseKeySet } from "./key-set.js";
import { type IssuerAddress, loadKeySetUrl } from "./metadata-document.js";

/** Age at which a key set in use is fetched again, so that it never stops being fresh. */
const renewMilliseconds = 4 * 60_000;
const freshMilliseconds = 5 * 60_000;
const usableMilliseconds = 60 * 60_000;
const refetchPauseMilliseconds = 30_000;
const firstFetchPauseMilliseconds = 1_000;
/** Maximum wait of a request with usable keys for newer ones; a healthy issuer answers within this time. */
const renewalWaitMilliseconds = 1_000;

/** The issuer's public keys. */
export interface IssuerKeys {
  /**
   * The key with this identifier, or undefined when the issuer has none.
   *
   * @throws {AuthzUnavailableError} The issuer is unavailable and no key set from the last hour is cached.
   */
  find(kid: string): Promise<KeyObject | undefined>;
  /** Loads a key set unless a usable one is cached. */
  load(): Promise<void>;
}

/** The dependencies of the cache. */
export interface IssuerKeysOptions extends IssuerAddress, DocumentSource {
  readonly clock: Clock;
  readonly log: AuthzLog;
}

interface Loaded extends KeySet {
  readonly loadedAt: number;
}

/**
 * Caches the issuer's keys: fresh for five minutes, usable for an hour while the issuer is unavailable.
 *
 * They are fetched again in the background before they stop being fresh. Only the first use after a pause waits for that
 * fetch, a second at most and once per outage, so that a withdrawn key does not stay in use for lack of requests. A request
 * with an unknown identifier always waits for the fetch.
 *
 * Requests that need a fetch at the same time share one. After the first key set is there, at most one fetch starts
 * per 30 seconds, however many unknown identifiers arrive.
 */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  return new CachedIssuerKeys(options);
}

class CachedIssuerKeys implements IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #loaded: Loaded | undefined;
  #running: Promise<void> | undefined;
  #refetchedAt = Number.NEGATIVE_INFINITY;
  /** Of the last fetch. */
  #failure: { readonly error: Error; readonly at: number } | undefined;
  /** Resolves when requests stop waiting for newer keys; one per outage. */
  #renewalWait: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  async find(kid: string): Promise<KeyObject | undefined> {
    await this.#refresh();
    const known = this.#usableKeys()?.get(kid);
    if (known !== undefined) return known;
    await this.#refetch();
    return this.#usableKeys()?.get(kid);
  }

  async load(): Promise<void> {
    await this.#refresh();
    if (this.#loaded?.keys.size === 0) {
      throw issuerUnavailable(
        `The key set of ${this.#options.issuer} has no usable ES256 key (${this.#loaded.unusable} left out). Check the signing key of the authorization server.`,
      );
    }
  }

  /** Makes sure that usable keys are there. */
  async #refresh(): Promise<void> {
    if (this.#usableKeys() === undefined) return await this.#fetchFirst();
    if (this.#age() < renewMilliseconds) return;
    const renewed = this.#refetch();
    // A failure is logged; a request that does not wait must not see it as an unhandled rejection.
    renewed.catch(() => undefined);
    if (this.#age() < freshMilliseconds || this.#failure !== undefined) return;
    this.#renewalWait ??= delay(renewalWaitMilliseconds, undefined, { ref: false });
    await Promise.race([renewed, this.#renewalWait]);
  }

  async #fetchFirst(): Promise<void> {
    const failure = this.#failure;
    const isPausing = failure !== undefined && this.#now() - failure.at < firstFetchPauseMilliseconds;
    if (isPausing && this.#running === undefined) throw failure.error;
    await this.#fetchOnce();
  }

  /** Fetches again, unless that was tried less than 30 seconds ago. A failure leaves the cached keys in use. */
  async #refetch(): Promise<void> {
    if (this.#running === undefined) {
      if (this.#now() - this.#refetchedAt < refetchPauseMilliseconds) return;
      this.#refetchedAt = this.#now();
    }
    await this.#fetchOnce().catch(ignoreUnavailable);
  }

  /** Joins the running fetch or starts one. */
  #fetchOnce(): Promise<void> {
    this.#running ??= this.#fetchKeys().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #fetchKeys(): Promise<void> {
    const { log } = this.#options;
    try {
      const keySet = await fetchKeySet(this.#options);
      this.#loaded = { ...keySet, loadedAt: this.#now() };
      this.#failure = undefined;
      this.#renewalWait = undefined;
      log({ type: "issuer_keys_loaded", usable: keySet.keys.size, unusable: keySet.unusable });
    } catch (error) {
      if (!(error instanceof AuthzUnavailableError)) throw error;
      this.#failure = { error, at: this.#now() };
      log({ type: "issuer_unavailable", failure: describeFailure(error), error });
      throw error;
    }
  }

  #now(): number {
    return this.#options.clock();
  }

  #age(): number {
    return this.#loaded === undefined ? Number.POSITIVE_INFINITY : this.#now() - this.#loaded.loadedAt;
  }

  /** The cached keys, if they may still be used. */
  #usableKeys(): ReadonlyMap<string, KeyObject> | undefined {
    return this.#age() < usableMilliseconds ? this.#loaded?.keys : undefined;
  }
}

async function fetchKeySet(options: IssuerKeysOptions): Promise<KeySet> {
  const url = await loadKeySetUrl(options, options);
  const keySet = parseKeySet(await fetchDocument(url, options));
  if (keySet === undefined) {
    throw issuerUnavailable(`${url} is not a key set. Check that it is the right address.`);
  }
  return keySet;
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof AuthzUnavailableError)) throw error;
}
