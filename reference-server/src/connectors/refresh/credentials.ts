import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import {
  type CredentialsOptions,
  type LoadedAccessToken,
  loadTokens,
  requireUsable,
  toLoaded,
} from "./load-tokens.js";
import { createOpenedTokens } from "./opened-tokens.js";
import { renew } from "./renew.js";
import { belongTo } from "./stored-tokens.js";

export type { CredentialsOptions, LoadedAccessToken } from "./load-tokens.js";

/** The tokens of connections. */
export interface Credentials {
  /** Whether the stored token can be used without a refresh. */
  isFresh(connection: Connection): boolean;
  /**
   * Returns an access token that can be used now, refreshed if necessary: exactly once among all processes.
   *
   * @param connection - as it was read a moment ago
   * @throws {CredentialsError}
   * @throws {VaultError} The tokens cannot be opened or sealed on this server.
   */
  loadAccessToken(connection: Connection, connector: Connector): Promise<LoadedAccessToken>;
}

/** A token with less time left is refreshed first, so that a request does not outlive it. */
const leastSeconds = 30;

/** One for each process: requests of one process share a refresh. */
export function createCredentials(options: CredentialsOptions): Credentials {
  const { clock } = options;
  const renewals = new Map<string, Promise<LoadedAccessToken>>();
  const opened = createOpenedTokens(clock);

  async function loadFresh(connection: Connection, connector: Connector): Promise<LoadedAccessToken> {
    const known = opened.get(connection);
    // A change of the connector's client is detected, and stored, where tokens are opened.
    if (known !== undefined && belongTo(known, connector)) return toLoaded(known, connection);
    const tokens = await loadTokens(connection, connector, options);
    opened.set(connection, tokens);
    return toLoaded(tokens, connection);
  }

  return {
    isFresh: (connection) => isFresh(connection, clock()),
    async loadAccessToken(connection, connector) {
      requireUsable(connection);
      if (isFresh(connection, clock())) return await loadFresh(connection, connector);
      const key = `${connection.id} ${connection.credentialVersion}`;
      const running = renewals.get(key);
      if (running !== undefined) return await running;
      const renewal = renew(connection, connector, options).finally(() => renewals.delete(key));
      renewals.set(key, renewal);
      return await renewal;
    },
  };
}

function isFresh({ accessExpiresAt }: Connection, now: number): boolean {
  return accessExpiresAt === null || accessExpiresAt.getTime() - now >= leastSeconds * 1000;
}
