import type { AuthzClient } from "../client.js";
import type { ClientContext } from "../client-context.js";
import { authorizedFetchOver } from "../request/authorized-fetch.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import type { ConnectionParts } from "./connection-parts.js";

/** The part of a client that is about connections. */
export type ConnectionCalls = Pick<
  AuthzClient,
  | "connections"
  | "connection"
  | "beginConnection"
  | "connectionAttempt"
  | "waitForConnection"
  | "disconnect"
  | "connectionFetch"
  | "connectionRequest"
  | "planConnectionRequest"
>;

/** Loads what is behind the calls when the first one is made: most requests go to the company's own services. */
export function openConnections(context: ClientContext, keeper: SessionKeeper): ConnectionCalls {
  let loaded: Promise<ConnectionParts> | undefined;
  const load = async (): Promise<ConnectionParts> => {
    loaded ??= import("../on-demand.js").then(({ createParts }) => createParts(context, keeper));
    return await loaded;
  };
  return {
    connections: async () => await (await load()).api.list(),
    connection: async (name) => await (await load()).api.show(name),
    beginConnection: async (name, { scopes } = {}) => await (await load()).api.begin(name, scopes),
    connectionAttempt: async (attempt) => await (await load()).api.attempt(attempt),
    waitForConnection: async (attempt, options = {}) => await (await load()).wait(attempt, options),
    disconnect: async (name) => ({ revocation: await (await load()).api.disconnect(name) }),
    connectionFetch: async (name, url, init) => {
      const { requests } = await load();
      const send = authorizedFetchOver(
        async (request) => await requests.send({ ...request, connection: name }),
      );
      return await send(url, init);
    },
    connectionRequest: async (request) => await (await load()).requests.send(request),
    planConnectionRequest: async (request) => await (await load()).requests.plan(request),
  };
}
