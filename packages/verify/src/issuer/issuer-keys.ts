import type { KeyObject } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@authz/dpop";
import { AuthzUnavailableError, issuerUnavailable } from "../errors.js";
import { type AuthzLog, describeFailure } from "../log.js";
import { type DocumentSource, fetchDocument } from "./fetch-document.js";
import { type KeySet, parseKeySet } from "./key-set.js";
import { type IssuerAddress, loadKeySetUrl } from "./metadata-document.js";

/** A key set of this age is fetched again when it is used, so that one in steady use never stops being fresh. */
const renewMilliseconds = 4 * 60_000;
const freshMilliseconds = 5 * 60_000;
const usableMilliseconds = 60 * 60_000;
const refetchPauseMilliseconds = 30_000;
const firstFetchPauseMilliseconds = 1_000;
/** How long a request with usable keys waits for newer ones; a healthy issuer answers within this time. */
const renewalWaitMilliseconds = 1_000;

/** The issuer's public keys. */
export interface IssuerKeys {
  /**
   * The key with this identifier, or undefined when the issuer has none.
   *
   * @throws {AuthzUnavailableError} The issuer is away and no key set from the last hour is there.
   */
  find(kid: string): Promise<KeyObject | undefined>;
  /** Makes sure that a key set is there that may be used. */
  load(): Promise<void>;
}

/** What the cache needs. */
export interface IssuerKeysOptions extends IssuerAddress, DocumentSource {
  readonly clock: Clock;
  readonly log: AuthzLog;
}

interface Loaded extends KeySet {
  readonly loadedAt: number;
}

/**
 * Caches the issuer's keys: fresh for five minutes, good for an hour while the issuer is away.
 *
 * They are fetched again in the background before they stop being fresh. Only the first use after a pause waits for that
 * fetch, a second at most and once per outage: a withdrawn key must not live on because nobody asked. Whoever names an
 * unknown identifier always waits for the fetch.
 *
 * Requests that need a fetch at the same time share one. After the first key set is there, at most one fetch starts
 * per 30 seconds, however many unknown identifiers are asked for.
 */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { clock, log } = options;
  let loaded: Loaded | undefined;
  let running: Promise<void> | undefined;
  let refetchedAt = Number.NEGATIVE_INFINITY;
  /** Of the last fetch. */
  let failure: { readonly error: Error; readonly at: number } | undefined;
  /** Resolves when requests stop waiting for newer keys; one per outage. */
  let renewalWait: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    try {
      const keySet = await fetchKeySet(options);
      loaded = { ...keySet, loadedAt: clock() };
      failure = undefined;
      renewalWait = undefined;
      log({ type: "issuer_keys_loaded", usable: keySet.keys.size, unusable: keySet.unusable });
    } catch (error) {
      if (!(error instanceof AuthzUnavailableError)) throw error;
      failure = { error, at: clock() };
      log({ type: "issuer_unavailable", failure: describeFailure(error), error });
      throw error;
    }
  }

  /** Joins the running fetch or starts one. */
  function fetchOnce(): Promise<void> {
    running ??= fetchKeys().finally(() => {
      running = undefined;
    });
    return running;
  }

  /** Fetches again, unless that was tried less than 30 seconds ago. A failure leaves the cached keys in use. */
  async function refetch(): Promise<void> {
    if (running === undefined) {
      if (clock() - refetchedAt < refetchPauseMilliseconds) return;
      refetchedAt = clock();
    }
    await fetchOnce().catch(ignoreUnavailable);
  }

  async function fetchFirst(): Promise<void> {
    const pausing = failure !== undefined && clock() - failure.at < firstFetchPauseMilliseconds;
    if (pausing && running === undefined) throw failure?.error;
    await fetchOnce();
  }

  /** Makes sure that usable keys are there. */
  async function refresh(): Promise<void> {
    if (usableKeys() === undefined) return await fetchFirst();
    if (age() < renewMilliseconds) return;
    const renewed = refetch();
    // A failure is logged; a request that does not wait must not see it as an unhandled rejection.
    renewed.catch(() => undefined);
    if (age() < freshMilliseconds || failure !== undefined) return;
    renewalWait ??= delay(renewalWaitMilliseconds, undefined, { ref: false });
    await Promise.race([renewed, renewalWait]);
  }

  function age(): number {
    return loaded === undefined ? Number.POSITIVE_INFINITY : clock() - loaded.loadedAt;
  }

  /** The cached keys, if they may still be used. */
  function usableKeys(): ReadonlyMap<string, KeyObject> | undefined {
    return age() < usableMilliseconds ? loaded?.keys : undefined;
  }

  return {
    async find(kid) {
      await refresh();
      const known = usableKeys()?.get(kid);
      if (known !== undefined) return known;
      await refetch();
      return usableKeys()?.get(kid);
    },
    async load() {
      await refresh();
      if (loaded?.keys.size === 0) {
        throw issuerUnavailable(
          `The key set of ${options.issuer} has no usable ES256 key (${loaded.unusable} left out). Check the signing key of the authorization server.`,
        );
      }
    },
  };
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
