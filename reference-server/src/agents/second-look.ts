import type { ShownCaller } from "../oauth/tokens/identify-caller.js";
import { OAuthError } from "../protocol/oauth-error.js";

/**
 * Looks whether the credentials of a request still count that is one too many.
 *
 * @throws {OAuthError} `invalid_token`: they do not, so waiting is of no use to their owner.
 */
export type LookAgain = (shown: ShownCaller) => Promise<void>;

/** How long an answer is good for others with the same credentials. */
const keptMilliseconds = 1000;

/**
 * Creates the second look. A limit keeps requests from the database, so it is asked once a second in this process for each sign-in and key,
 * however many requests there are.
 */
export function createLookAgain(): LookAgain {
  const looks = new Map<string, Promise<OAuthError | undefined>>();
  return async (shown) => {
    const { grantId, jkt = "" } = shown.claims;
    const key = `${grantId} ${jkt}`;
    let look = looks.get(key);
    if (look === undefined) {
      look = faultOf(shown);
      looks.set(key, look);
      setTimeout(() => looks.delete(key), keptMilliseconds).unref();
    }
    const fault = await look;
    if (fault !== undefined) throw fault;
  };
}

/** When nobody can say it now, the limit is the answer. */
async function faultOf({ requireLive }: ShownCaller): Promise<OAuthError | undefined> {
  try {
    await requireLive();
    return undefined;
  } catch (error) {
    return error instanceof OAuthError ? error : undefined;
  }
}
