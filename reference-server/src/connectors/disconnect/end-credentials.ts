import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { VaultError } from "../../platform/vault/key-ring.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Provider } from "../provider/provider.js";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { belongTo, mayGoTo, openTokens, type StoredTokens } from "../refresh/stored-tokens.js";
import { kinds } from "../kinds/kinds.js";
import type { EndingTokens, Revocation } from "../provider/revocation.js";
import { ProviderError } from "../provider/provider-error.js";

export interface EndingDependencies {
  readonly vault: Vault;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Revokes the tokens of a connection at the third party; `unconfirmed` if they cannot be opened or revoked.
 *
 * @throws {VaultError} `unavailable`: the key service is away. Try again later.
 */
export async function endCredentials(
  connection: Connection,
  connector: Connector,
  { vault, provider, clock, log }: EndingDependencies,
): Promise<Revocation> {
  if (connector.revocationEndpoint === null) return "unsupported";
  const named = { connector: connector.key, connectionId: connection.id };
  try {
    const tokens = await openTokens(connection, vault);
    // Another client's tokens cannot be revoked, and other hosts must not get them.
    if (!belongTo(tokens, connector) || !mayGoTo(tokens, connector.revocationEndpoint)) return "unconfirmed";
    const ending = needsFreshToken(connection, connector, clock())
      ? await refreshForEnding(connection, { connector, tokens, provider })
      : tokens;
    const revocation = await provider.revoke(connector, ending);
    if (revocation === "unconfirmed") {
      log.warn(
        { code: "REVOCATION_UNCONFIRMED", ...named },
        "A third party did not confirm that tokens are revoked.",
      );
    }
    return revocation;
  } catch (error) {
    if (!(error instanceof VaultError) || error.reason === "unavailable") throw error;
    log.error(
      { code: "REVOCATION_UNCONFIRMED", ...named, problem: error.message },
      "Tokens could not be decrypted, so they could not be revoked.",
    );
    return "unconfirmed";
  }
}

/** Some third parties revoke with a valid access token only. */
function needsFreshToken(connection: Connection, { kind }: Connector, now: number): boolean {
  const { accessExpiresAt, refreshable } = connection;
  const isOver = accessExpiresAt !== null && accessExpiresAt.getTime() <= now;
  return isOver && refreshable && kinds[kind].quirks.revocation !== undefined;
}

async function refreshForEnding(
  { grantedScopes }: Connection,
  {
    connector,
    tokens,
    provider,
  }: {
    readonly connector: Connector;
    readonly tokens: StoredTokens;
    readonly provider: Provider;
  },
): Promise<EndingTokens> {
  const { refreshToken } = tokens;
  if (refreshToken === undefined) return tokens;
  try {
    const fresh = await provider.refresh(connector, { refreshToken, scopes: grantedScopes });
    const { accessToken } = fresh.tokens;
    return { accessToken, refreshToken: fresh.tokens.refreshToken ?? refreshToken };
  } catch (error) {
    if (error instanceof ProviderError) return tokens;
    throw error;
  }
}
