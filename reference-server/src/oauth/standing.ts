import { OAuthError } from "../protocol/oauth-error.js";
import type { User } from "../store/users.js";

/** What must hold at this moment beside permissions. */
export interface Standing {
  readonly user: Pick<User, "enabled" | "pausedAt"> | undefined;
  /** A stop applies: of the person, the client, both, the service, or everything. */
  readonly stopped: boolean;
  readonly issuer: string;
}

/**
 * Why nothing is issued or carried out now although nothing has ended, or `undefined` when it is. `access_denied`: clients throw a sign-in
 * away that is refused with `invalid_grant`, and this one goes on.
 */
export function standingFault({ user, stopped, issuer }: Standing): OAuthError | undefined {
  if (user?.enabled === false) return undefined;
  if (user !== undefined && user.pausedAt !== null) {
    const message = `Nothing is issued for this account until its owner signs in again at ${issuer}. The apps then go on by themselves.`;
    return new OAuthError("access_denied", "user_paused", message);
  }
  if (!stopped) return undefined;
  const message = `Stopped by an administrator, or by the person at ${issuer}. Nothing is issued until it is started again there.`;
  return new OAuthError("access_denied", "stopped", message);
}
