import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { createSecret } from "../../protocol/secrets.js";
import {
  CredentialsError,
  type CredentialsOptions,
  type LoadedAccessToken,
  loadStored,
  loadTokens,
  requireReconnect,
  requireUsable,
  toLoaded,
} from "./load-tokens.js";
import { refreshOnce } from "./refresh-once.js";
import { mayGoTo, type StoredTokens } from "./stored-tokens.js";

/** How long a request waits for a refresh by another process. */
const maximumWaitSeconds = 12;
const pollMilliseconds = 100;
/**
 * Lease time beyond the longest request to the third party: how long a killed process blocks the others. Two calls to the key service
 * come before it, with five seconds each.
 */
const leaseReserveSeconds = 12;

/**
 * Renews an access token: the process with the lease asks the third party, once; all others wait for the result.
 */
export async function renew(
  connection: Connection,
  connector: Connector,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const tokens = await loadTokens(connection, connector, options);
  const { refreshToken, origins } = tokens;
  if (refreshToken === undefined) {
    if (await stillWorks(tokens, { connection, connector }, options)) return toLoaded(tokens, connection);
    throw await requireReconnect({ connection, connector, reason: "expired" }, options);
  }
  const { store, clock } = options;
  const giveUpAt = performance.now() + maximumWaitSeconds * 1000;
  let current = connection;
  while (performance.now() < giveUpAt) {
    const now = clock();
    if (mayBegin(current, now)) {
      const lease = await takeLease(current, options);
      if (lease !== undefined)
        return await refreshOnce({ connection: current, connector, refreshToken, origins, lease }, options);
    } else if (current.refresh.lease === null) {
      throw notYet(current, now);
    } else {
      await delay(pollMilliseconds);
    }
    const found = await store.connections.find(connection.id);
    if (found === undefined) throw new CredentialsError("not_connected");
    requireUsable(found);
    // Tokens that came meanwhile are used even if they expire soon; else every request would refresh again.
    if (found.credentialVersion !== connection.credentialVersion)
      return await loadStored(found, connector, options);
    current = found;
  }
  throw new CredentialsError("refresh_unavailable", { retryAfterSeconds: 1 });
}

/**
 * Whether a token that cannot be renewed still works although a 401 marked it as stale: a 401 is not always about the token, and one
 * refused request must not end the connection. The mark is removed, so that later requests do not ask again.
 */
async function stillWorks(
  tokens: StoredTokens,
  { connection, connector }: { readonly connection: Connection; readonly connector: Connector },
  { store, provider }: CredentialsOptions,
): Promise<boolean> {
  const { accountEndpoint } = connector;
  const { id, credentialVersion, accessExpiresAt } = connection;
  if (accessExpiresAt?.getTime() !== 0) return false;
  if (accountEndpoint === null || !mayGoTo(tokens, accountEndpoint)) return false;
  if (!(await provider.isAlive(connector, tokens.accessToken))) return false;
  await store.connections.unmarkStale({ id, credentialVersion });
  return true;
}

function mayBegin({ refresh }: Connection, now: number): boolean {
  const isFree = refresh.lease === null || (refresh.until?.getTime() ?? 0) <= now;
  return isFree && (refresh.notBefore?.getTime() ?? 0) <= now;
}

async function takeLease(
  { id, credentialVersion }: Connection,
  { store, clock, provider }: CredentialsOptions,
): Promise<string | undefined> {
  const lease = createSecret();
  const now = clock();
  const until = new Date(now + (provider.timeoutSeconds + leaseReserveSeconds) * 1000);
  const begun = await store.connections.beginRefresh({
    id,
    credentialVersion,
    lease,
    now: new Date(now),
    until,
  });
  return begun ? lease : undefined;
}

function notYet({ refresh }: Connection, now: number): CredentialsError {
  const milliseconds = (refresh.notBefore?.getTime() ?? now) - now;
  const retryAfterSeconds = Math.max(Math.ceil(milliseconds / 1000), 1);
  return new CredentialsError("refresh_unavailable", { retryAfterSeconds });
}
