import type { ConnectionCounts } from "./connection-list.js";
import type { Connector } from "./connectors.js";
import type { Page, PageRequest } from "./page.js";

/** A connector as administrators see it. */
export interface ListedConnector extends Connector {
  readonly connections: ConnectionCounts;
}

export type ConnectorListRequest = PageRequest<"key" | "name"> & { readonly enabled: boolean | undefined };

export interface ConnectorListStore {
  /** `q` is looked for in key, name and kind. */
  list(request: ConnectorListRequest): Promise<Page<ListedConnector>>;
  describe(key: string): Promise<ListedConnector | undefined>;
  count(): Promise<number>;
  /** Call it for a connector without connections. Attempts that are on their way go with it. */
  remove(id: string): Promise<void>;
}
