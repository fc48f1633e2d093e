import type { PublicJwk } from "@authz/dpop";
import type { ClientListStore } from "./client-list.js";

/**
 * `public`: a program that can keep no secret. `confidential`: proves who it is with `private_key_jwt`.
 * `machine`: the same, but acts for itself and never for a person.
 */
export type ClientType = "public" | "confidential" | "machine";

/** A key that a client signs its assertions with. */
export interface ClientKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
}

/** An OAuth client of this server. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly type: ClientType;
  /** The port of a loopback redirect URI is not part of the comparison (RFC 8252 §7.3). */
  readonly redirectUris: readonly string[];
  /** Several while one replaces another; none for a public client. */
  readonly keys: readonly ClientKey[];
  /** RFC 9449 §5.2: every token of this client is bound to a key. */
  readonly dpopBound: boolean;
  readonly builtIn: boolean;
  readonly enabled: boolean;
}

export interface ClientStore extends ClientListStore {
  find(id: string): Promise<Client | undefined>;
  /** Returns whether the row was new; an existing row stays as it is. */
  insertMissing(client: Client, at: Date): Promise<boolean>;
  /** Inserts or replaces the row with this id. */
  save(client: Client, at: Date): Promise<void>;
  /** The scopes that a machine client has, in order. */
  listMachineScopes(clientId: string): Promise<readonly string[]>;
  /** Replaces the scopes of a machine client. */
  saveMachineScopes(clientId: string, scopes: readonly string[]): Promise<void>;
}
