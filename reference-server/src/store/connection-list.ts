import type { Connection } from "./connections.js";
import type { Page, PageRequest } from "./page.js";
import type { ListedPerson } from "./session-list.js";

/** A connection as administrators see it: without the tokens, even sealed. */
export interface ListedConnection
  extends Pick<
    Connection,
    "id" | "state" | "reason" | "account" | "grantedScopes" | "connectedAt" | "refreshedAt" | "lastUsedAt"
  > {
  readonly user: ListedPerson;
  readonly connector: { readonly key: string; readonly name: string };
  /** The key encryption key. */
  readonly keyId: string;
}

export type ConnectionListRequest = PageRequest<"connectedAt"> & {
  /** Key of the connector. */
  readonly connector: string | undefined;
  readonly userId: string | undefined;
  readonly state: Connection["state"] | undefined;
};

export interface ConnectionListStore {
  /** `q` is looked for in the people's names and addresses. */
  list(request: ConnectionListRequest): Promise<Page<ListedConnection>>;
  countByState(connectorId: string): Promise<ConnectionCounts>;
}

export interface ConnectionCounts {
  readonly connected: number;
  readonly reconnectRequired: number;
  readonly disconnecting: number;
}
