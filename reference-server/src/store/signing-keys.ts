import type { PublicJwk } from "@authz/dpop";
import type { Page, PageRequest } from "./page.js";

/** A signing key through its life. */
export interface SigningKeyRecord {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  /** Sealed by the credential vault, bound to `signingKeyRow(kid)`; `null` once the key no longer signs. */
  readonly privateJwk: Buffer | null;
  readonly source: "environment" | "generated";
  /** `staged`: in the key set, signs nothing yet. `active`: signs. `retired`: signs nothing any more. */
  readonly state: "staged" | "active" | "retired";
  readonly stagedAt: Date;
  readonly activatedAt: Date | null;
  readonly retiredAt: Date | null;
  /** When a retired key leaves the key set. */
  readonly publishedUntil: Date | null;
}

export interface SigningKeyStore {
  find(kid: string): Promise<SigningKeyRecord | undefined>;
  /** The newest first. */
  list(page: { limit: number }): Promise<readonly SigningKeyRecord[]>;
  listPage(request: PageRequest<"stagedAt">): Promise<Page<SigningKeyRecord>>;
  /** The keys that belong in the key set at this moment, the active one first. */
  listPublished(now: Date): Promise<readonly SigningKeyRecord[]>;
  /** Returns whether the row was new; an existing row stays as it is. */
  insertMissing(key: SigningKeyRecord): Promise<boolean>;
  /**
   * Makes a key that was staged by `stagedBefore` the active one and retires the one before it, in one statement.
   * Returns the retired key, or `undefined` when the key was not that and nothing changed.
   */
  activate(change: {
    kid: string;
    stagedBefore: Date;
    at: Date;
    /** Of the key before it. */
    publishedUntil: Date;
  }): Promise<{ readonly retired: string | null } | undefined>;
  /** Retires a staged key, which signed nothing. Returns whether it was one. */
  withdraw(change: { kid: string; at: Date }): Promise<boolean>;
  /** Takes a retired key out of the key set before its time. Returns whether it was there. */
  unpublish(change: { kid: string; at: Date }): Promise<boolean>;
}
