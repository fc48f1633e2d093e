import type { ClientContext } from "../session/client-context.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import type { Connection, ConnectionAttempt } from "./connection.js";
import { ConnectionRequests } from "./connection-requests.js";
import { ConnectionsApi } from "./connections-api.js";
import { type WaitOptions, waitForConnection } from "./wait-for-connection.js";

/** Everything that is loaded only by those who use connections. */
export interface ConnectionParts {
  api: ConnectionsApi;
  requests: ConnectionRequests;
  wait: (attempt: ConnectionAttempt, options: WaitOptions) => Promise<Connection>;
}

export function createConnectionParts(context: ClientContext, keeper: SessionKeeper): ConnectionParts {
  const api = new ConnectionsApi(context, keeper);
  return {
    api,
    requests: new ConnectionRequests({ context, keeper, api }),
    wait: async (attempt, options) => await waitForConnection(api, attempt, context.clock, options),
  };
}
