import { sha256Base64url } from "@authz/dpop/jws";
import { recordAudit } from "../audit/record.js";
import { endProviderSessions } from "../lifecycle/end-provider-sessions.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { type LogoutToken, readLogoutToken } from "./logout-token.js";
import { reachOf, verifyToken } from "./provider-token.js";
import type { Receipt, SignalContext } from "./signal-context.js";
import { SignalError } from "./signal-error.js";

/**
 * Ends the sessions that a provider's logout token names, and what the provider's setting adds.
 *
 * @throws {SignalError} Nothing has ended.
 * @throws {OAuthError} `temporarily_unavailable`: the provider's keys cannot be fetched.
 */
export async function receiveLogout(
  token: string,
  provider: IdentityProvider,
  { context, requestId }: Pick<Receipt, "context" | "requestId">,
): Promise<void> {
  const { store, providerKeys, clock } = context;
  const at = new Date(clock());
  const logout = readLogoutToken(token, { provider, now: at });
  await verifyToken(logout, provider, providerKeys);
  await store.transaction(async (tx) => {
    const key = `logout ${provider.id} ${sha256Base64url(logout.tokenId)}`;
    const expiresAt = logout.expiresAt.getTime() / 1000;
    if (!(await tx.dpopReplays.consume({ key, expiresAt }))) throw new SignalError("replayed");
    await endSessions(logout, provider, { ...context, store: tx, at, requestId });
  });
}

async function endSessions(
  { subject, sid, issuedAt }: LogoutToken,
  provider: IdentityProvider,
  { store, at, requestId }: Pick<SignalContext, "store"> & { readonly at: Date; readonly requestId: string },
): Promise<void> {
  const { id: providerId, key, logoutEndsApps: apps = false } = provider;
  const user =
    subject === undefined ? undefined : await store.users.findAccount({ providerId, subject, email: null });
  const actor = { type: "system" } as const;
  const cause = { by: "logout", provider: key } as const;
  const work = { store, actor, at, requestId };
  // An account that never signed in here has nothing that could end.
  if (sid !== undefined && (subject === undefined || user !== undefined)) {
    await endProviderSessions({ providerId, sid, userId: user?.id }, { apps, cause }, work);
  } else if (user !== undefined) {
    const target = { providerId, userId: user.id };
    await endProviderSessions(target, { apps, cause, until: reachOf(issuedAt) }, work);
  }
  await recordAudit(store, {
    type: "logout.received",
    outcome: "success",
    actor,
    at,
    ...(user && { subject: user.id }),
    requestId,
    data: { provider: key, session: sid !== undefined },
  });
}
