import type { Envelope } from "../platform/vault/envelope.js";
import type { ConnectionListStore } from "./connection-list.js";
import type { RewrapStore } from "./rewraps.js";

/** `disconnecting`: nothing is sent any more; the tokens are being revoked, then the row is removed. */
export const connectionStates = ["connected", "reconnect_required", "disconnecting"] as const;

export type ConnectionState = (typeof connectionStates)[number];

/**
 * Why a person must connect again. `refused`: the third party takes the refresh token no more. `rotation_lost`: it did
 * so after a refresh whose outcome is not known. `grant_shrunk`: a required scope is gone. `expired`: the access token
 * is over, and there is no refresh token. `unreadable`: the stored tokens do not open. `client_changed`: they belong to
 * another client of the third party.
 */
export const reconnectReasons = [
  "refused",
  "rotation_lost",
  "grant_shrunk",
  "expired",
  "unreadable",
  "client_changed",
] as const;

export type ReconnectReason = (typeof reconnectReasons)[number];

/** One person's account at one third party. At most one per person and connector. */
export interface Connection {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
  readonly state: ConnectionState;
  readonly reason: ReconnectReason | null;
  /** The account at the third party, as far as it is known. */
  readonly account: ConnectionAccount;
  readonly grantedScopes: readonly string[];
  /** The tokens, sealed for `connectionRow(connection)`. */
  readonly credentials: Envelope;
  /** Raised with every new set of tokens. */
  readonly credentialVersion: number;
  /** `null`: the third party does not say. */
  readonly accessExpiresAt: Date | null;
  /** There is a refresh token. */
  readonly refreshable: boolean;
  readonly refresh: ConnectionRefresh;
  /** When the person last connected it. */
  readonly connectedAt: Date;
  readonly refreshedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface ConnectionAccount {
  readonly subject: string | null;
  readonly label: string | null;
}

export interface ConnectionRefresh {
  /** Who is at it; `null`: nobody. */
  readonly lease: string | null;
  /** When somebody else may take over. */
  readonly until: Date | null;
  /** A refresh was sent and its outcome is not known: the stored refresh token may be used up. */
  readonly uncertain: boolean;
  /** No refresh begins before that. */
  readonly notBefore: Date | null;
}

/** New tokens, and what came with them. */
export interface NewCredentials {
  readonly credentials: Envelope;
  readonly grantedScopes: readonly string[];
  readonly accessExpiresAt: Date | null;
  readonly refreshable: boolean;
}

export interface ConnectionStore extends ConnectionListStore, RewrapStore {
  find(id: string): Promise<Connection | undefined>;
  findOwn(own: { readonly userId: string; readonly connectorId: string }): Promise<Connection | undefined>;
  /** All connections of a person, of enabled connectors and others. */
  listOwn(userId: string): Promise<readonly Connection[]>;
  /**
   * Inserts the connection, or replaces its tokens and state: the id stays, `credentialVersion` is raised, and a
   * refresh that is running will be too late. `undefined` when nothing was stored: the connection is being
   * disconnected, or this person's connection has another id by now, and the tokens are sealed for the wrong one, or is
   * of another account.
   */
  save(
    connection: NewCredentials & {
      readonly id: string;
      readonly connectorId: string;
      readonly userId: string;
      readonly account: ConnectionAccount;
      readonly now: Date;
    },
  ): Promise<Connection | undefined>;
  /**
   * Lets exactly one caller refresh this set of tokens. `false` when another one is at it, has been, or nobody may yet.
   * `until` must be later than the refresh can last.
   */
  beginRefresh(refresh: {
    readonly id: string;
    readonly credentialVersion: number;
    readonly lease: string;
    readonly now: Date;
    readonly until: Date;
  }): Promise<boolean>;
  /**
   * Stores what a refresh brought, unless newer tokens are there; then it returns `false`. The lease does not count: a
   * late answer is kept when nobody was faster. A connection that is being disconnected stays so, with the newest
   * tokens, so that these are revoked.
   */
  finishRefresh(
    refresh: NewCredentials & {
      readonly id: string;
      /** Of the tokens that were sent. */
      readonly credentialVersion: number;
      readonly now: Date;
    } & (
        | { readonly state: "connected"; readonly reason: null }
        | { readonly state: "reconnect_required"; readonly reason: ReconnectReason }
      ),
  ): Promise<boolean>;
  /**
   * Gives up a refresh that brought nothing. `uncertain` stays until new tokens are stored. Returns whether the lease
   * was still the caller's.
   */
  abandonRefresh(refresh: {
    readonly id: string;
    readonly lease: string;
    readonly uncertain: boolean;
    readonly notBefore: Date | null;
  }): Promise<boolean>;
  /** Asks the person to connect again, unless newer tokens are there. Returns whether this call changed the state. */
  requireReconnect(change: {
    readonly id: string;
    readonly credentialVersion: number;
    readonly reason: ReconnectReason;
  }): Promise<boolean>;
  /** The same for all that are connected at a connector, newer tokens or not: a refresh that is running is too late. */
  requireReconnectOfAll(change: {
    readonly connectorId: string;
    readonly reason: ReconnectReason;
  }): Promise<number>;
  /** Has this access token refreshed before it is used again. */
  markStale(change: { readonly id: string; readonly credentialVersion: number }): Promise<void>;
  /** Takes that back: the token works after all. When it ends is not known any more. */
  unmarkStale(change: { readonly id: string; readonly credentialVersion: number }): Promise<void>;
  /** Begins to disconnect; nothing is sent from now on. `undefined` when it is gone or somebody is at it. */
  block(change: { readonly id: string; readonly now: Date }): Promise<Connection | undefined>;
  /** The same for all of a connector. Returns how many there were. */
  blockAll(change: { readonly connectorId: string; readonly now: Date }): Promise<number>;
  /**
   * Ends disconnecting. `false` when it is gone, or when newer tokens than these have come meanwhile: those have to be
   * revoked as well.
   */
  remove(connection: { readonly id: string; readonly credentialVersion: number }): Promise<boolean>;
  /** Those that have been disconnecting since before that time, the oldest first. */
  listDisconnecting(batch: { readonly before: Date; readonly limit: number }): Promise<readonly Connection[]>;
}
