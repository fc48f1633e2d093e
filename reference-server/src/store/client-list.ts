import type { Client, ClientType } from "./clients.js";
import type { Page, PageRequest } from "./page.js";

/** A client as administrators see it. */
export interface ListedClient extends Client {
  /** What a machine may do, in order; empty for others. */
  readonly machineScopes: readonly string[];
  /** Live log-ins with it. */
  readonly logIns: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export type ClientListRequest = PageRequest<"name" | "id"> & {
  readonly type: ClientType | undefined;
  readonly enabled: boolean | undefined;
  readonly now: Date;
};

export interface ClientListStore {
  list(request: ClientListRequest): Promise<Page<ListedClient>>;
  describe(id: string, now: Date): Promise<ListedClient | undefined>;
  /** Returns whether the client existed. Log-ins of it that have ended go with it. */
  remove(id: string): Promise<boolean>;
}
