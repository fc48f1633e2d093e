import type { VerifiedCredentials } from "../../oauth/tokens/identify-caller.js";
import { createSemaphores } from "../../platform/semaphores.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { MessageError, messageErrors } from "./message.js";

/** Concurrent requests per grant, in this process: above any host's normal use, far below the process limit. */
const maximumPerGrant = 32;

/** Acquires permits for as long as a request is answered; the result releases them. @throws {MessageError} 429 */
export type AcquirePermits = (grantId: string, permits: number) => () => void;

/** Creates the limit, so that slow and long requests of one signed-in app never block the others. */
export function createGrantLimit(maximum: number = maximumPerGrant): AcquirePermits {
  const acquire = createSemaphores(maximum);
  return (grantId, permits) => {
    const release = acquire(grantId, permits);
    if (release !== undefined) return release;
    const message = "This app has as many or as long requests in progress as it may. Wait for one to finish.";
    throw new MessageError(429, messageErrors.internal, message);
  };
}

/** How long a result counts for other requests with the same credentials. */
const keptMilliseconds = 1000;

/**
 * Checks whether the credentials of a request beyond a limit are still valid.
 *
 * @throws {OAuthError} `invalid_token`: they are not, so waiting does not help.
 */
export type RequireLive = (credentials: VerifiedCredentials) => Promise<void>;

/** Creates the check. Limits keep requests from the database, so it is queried once a second per sign-in and key in this process. */
export function createLiveCheck(): RequireLive {
  const checks = new Map<string, Promise<OAuthError | undefined>>();
  return async (credentials) => {
    const { grantId, jkt = "" } = credentials.claims;
    const key = `${grantId} ${jkt}`;
    let check = checks.get(key);
    if (check === undefined) {
      check = faultOf(credentials);
      checks.set(key, check);
      setTimeout(() => checks.delete(key), keptMilliseconds).unref();
    }
    const fault = await check;
    if (fault !== undefined) throw fault;
  };
}

/** While the database is away, the limit is the answer. */
async function faultOf({ requireLive }: VerifiedCredentials): Promise<OAuthError | undefined> {
  try {
    await requireLive();
    return undefined;
  } catch (error) {
    return error instanceof OAuthError ? error : undefined;
  }
}
