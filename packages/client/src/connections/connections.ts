import { type AuthorizedFetchInit, authorizedFetchOver } from "../request/authorized-fetch.js";
import type { ClientContext } from "../session/client-context.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import type { TransportAnswer } from "../transport/transport.js";
import type { Connection, ConnectionAttempt, ConnectionAttemptResult, Revocation } from "./connection.js";
import type { ConnectionParts } from "./connection-parts.js";
import type { ConnectionPlan, ConnectionRequest } from "./connection-requests.js";
import type { WaitOptions } from "./wait-for-connection.js";

/** A person's accounts at third parties, and requests with them. */
export interface Connections {
  /** Third parties that an administrator has set up, and the person's accounts there. */
  list(): Promise<readonly Connection[]>;
  /** One of them, by its name. @throws {AuthzClientError} `not_found` */
  get(name: string): Promise<Connection>;
  /**
   * Starts to connect an account, or to reconnect it: someone visits the address in a browser, signed in as the same person. `scopes` are
   * among those offered; required ones are always requested. Without `scopes`, the default ones are.
   *
   * @throws {AuthzClientError} `scope_not_granted`, `disconnecting`, `not_found`, …
   */
  start(name: string, options?: { scopes?: readonly string[] }): Promise<ConnectionAttempt>;
  /** The progress of an attempt. Asks once. */
  attempt(attempt: Pick<ConnectionAttempt, "connector" | "id">): Promise<ConnectionAttemptResult>;
  /** Waits until an attempt has ended. @throws {AuthzClientError} `connection_denied`, `connection_failed`, … */
  wait(attempt: ConnectionAttempt, options?: WaitOptions): Promise<Connection>;
  /**
   * Disconnects an account: it cannot be used from then on, its tokens are revoked at the third party and deleted. `unconfirmed` and
   * `unsupported` mean that the person should withdraw the access there.
   *
   * @throws {AuthzClientError} `not_connected`, `not_found`
   */
  disconnect(name: string): Promise<{ revocation: Revocation }>;
  /**
   * Calls a third party through a connection like `fetch`. The server adds its credentials, which never come here. Whatever the third party
   * answers is the result.
   *
   * @throws {AuthzClientError} `not_connected`, `reconnect_required`, `target_not_allowed`, …; `facts.sent` says whether it may have arrived.
   */
  fetch(name: string, url: string | URL, init?: AuthorizedFetchInit): Promise<Response>;
  /** The same without the Fetch classes: the answer's body is a stream of bytes. */
  request(request: ConnectionRequest): Promise<TransportAnswer>;
  /** Says what would happen with such a request. Nothing is sent. */
  plan(request: ConnectionRequest): Promise<ConnectionPlan>;
}

/** Loads what is behind the calls when the first one is made: most requests go to the company's own services. */
export function openConnections(context: ClientContext, keeper: SessionKeeper): Connections {
  let loaded: Promise<ConnectionParts> | undefined;
  const load = async (): Promise<ConnectionParts> => {
    loaded ??= import("./connection-parts.js").then(({ createConnectionParts }) =>
      createConnectionParts(context, keeper),
    );
    return await loaded;
  };
  return {
    list: async () => await (await load()).api.list(),
    get: async (name) => await (await load()).api.get(name),
    start: async (name, { scopes } = {}) => await (await load()).api.start(name, scopes),
    attempt: async (attempt) => await (await load()).api.attempt(attempt),
    wait: async (attempt, options = {}) => await (await load()).wait(attempt, options),
    disconnect: async (name) => ({ revocation: await (await load()).api.disconnect(name) }),
    fetch: async (name, url, init) => {
      const { requests } = await load();
      const send = authorizedFetchOver(
        async (request) => await requests.send({ ...request, connection: name }),
      );
      return await send(url, init);
    },
    request: async (request) => await (await load()).requests.send(request),
    plan: async (request) => await (await load()).requests.plan(request),
  };
}
