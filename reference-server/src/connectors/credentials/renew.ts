import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { createSecret } from "../../oauth/secrets.js";
import {
  type CredentialsOptions,
  type LoadedAccessToken,
  loadStored,
  loadTokens,
  requireReconnect,
  requireUsable,
} from "./load-tokens.js";
import { CredentialsError } from "./credentials-error.js";
import { refreshOnce } from "./refresh-once.js";

/** How long a request waits for a refresh that somebody else has begun. */
const maximumWaitSeconds = 12;
const pollMilliseconds = 100;
/**
 * A process that refreshes and is killed holds up the others for this long beyond the longest request to the third
 * party. Two calls to the place of the key come before it, with five seconds each.
 */
const leaseReserveSeconds = 12;

/**
 * Brings an access token that can be used: whoever gets the lease asks the third party, once; all others wait for what
 * that one brings.
 */
export async function renew(
  connection: Connection,
  connector: Connector,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const { accessToken, refreshToken } = await loadTokens(connection, connector, options);
  if (refreshToken === undefined) {
    // Marked by a 401, which is not always about the token: one refused request must not cost the connection.
    const isMarked = connection.accessExpiresAt?.getTime() === 0;
    if (isMarked && (await options.provider.isAlive(connector, accessToken))) {
      return { accessToken, credentialVersion: connection.credentialVersion, tokenType: "Bearer" };
    }
    throw await requireReconnect({ connection, connector, reason: "expired" }, options);
  }
  const { store, clock } = options;
  const giveUpAt = performance.now() + maximumWaitSeconds * 1000;
  let current = connection;
  while (performance.now() < giveUpAt) {
    const now = clock();
    if (mayBegin(current, now)) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const lease = await takeLease(current, options);
      // oxlint-disable-next-line no-await-in-loop -- the last step
      if (lease !== undefined)
        return await refreshOnce({ connection: current, connector, refreshToken, lease }, options);
    } else if (current.refresh.lease === null) {
      throw notYet(current, now);
    } else {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await delay(pollMilliseconds);
    }
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    const found = await store.connections.find(connection.id);
    if (found === undefined) throw new CredentialsError("not_connected");
    requireUsable(found);
    // Tokens that came meanwhile are used whatever time they have: asking again would ask once for every request.
    // oxlint-disable-next-line no-await-in-loop -- the last step
    if (found.credentialVersion !== connection.credentialVersion)
      return await loadStored(found, connector, options);
    current = found;
  }
  throw new CredentialsError("refresh_unavailable", { retryAfterSeconds: 1 });
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
