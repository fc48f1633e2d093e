import { randomUUID } from "node:crypto";
import { recordAudit } from "../audit/record.js";
import { presenceRow } from "../platform/vault/rows.js";
import { createSecret, hashSecret } from "../protocol/secrets.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { Store } from "../store/store.js";
import type { Vault } from "../platform/vault/vault.js";
import type { ProvisionedAs } from "../store/users.js";
import type { Browser } from "./browser.js";
import { type ClaimedGroups, storeClaimedGroups } from "./claimed-groups.js";
import { type ProvidedIdentity, SignInError } from "./identity.js";

interface Opening {
  readonly provider: IdentityProvider;
  /** The groups in the provider's claims; `undefined` when they do not count. */
  readonly claimed: ClaimedGroups | undefined;
  /** What the provider can be asked with later; `undefined`: it gave nothing, or is not asked. */
  readonly refreshToken: string | undefined;
  readonly credentials: Vault;
  /** When the provider was asked to authenticate anew; `null`: it was not. */
  readonly askedAnewAt: Date | null;
  readonly input: {
    readonly browser: Browser;
    readonly userAgent: string | null;
    /** What the browser prefers of the languages that are spoken here. */
    readonly language: string;
    readonly requestId: string;
  };
  readonly store: Store;
  readonly now: Date;
}

/**
 * Opens a session of the user that a provider named, in place of the browser's earlier one.
 *
 * @throws {SignInError} `user_disabled`
 */
export async function openSession(
  identity: ProvidedIdentity,
  { provider, claimed, refreshToken, credentials, askedAnewAt, input, store, now }: Opening,
): Promise<{ readonly token: string; readonly userId: string }> {
  const token = createSecret();
  return await store.transaction(async (transaction) => {
    const { subject, email, name } = identity;
    const user = await transaction.users.signIn({
      providerId: provider.id,
      subject,
      email,
      ...(name !== undefined && { name }),
      oid: identity.oid,
      provisioned: provisionedAs(identity, provider),
      at: now,
    });
    if (!user.enabled) throw new SignInError("user_disabled");
    await transaction.users.speak(user.id, input.language);
    const session: BrowserSession = {
      id: randomUUID(),
      userId: user.id,
      providerId: provider.id,
      authTime: identity.authTime === undefined ? null : earlier(identity.authTime, now),
      askedAnewAt,
      amr: identity.amr,
      signedInAt: now,
      expiresAt: new Date(now.getTime() + lifetimes.browserSession * 1000),
      userAgent: input.userAgent,
    };
    if (input.browser.session !== undefined) await transaction.browserSessions.remove(input.browser.session);
    await transaction.browserSessions.insert(session, hashSecret(token), identity.sid ?? null);
    const latest = { userId: user.id, providerId: provider.id };
    const sealed =
      refreshToken === undefined ? null : await credentials.seal(refreshToken, presenceRow(latest));
    await transaction.presences.signedIn({ ...latest, subject, refreshToken: sealed, at: now });
    const event = {
      outcome: "success",
      actor: { type: "user", id: user.id },
      at: now,
      subject: user.id,
      requestId: input.requestId,
    } as const;
    if (user.linked) {
      const data = { provider: provider.key, account: subject };
      await recordAudit(transaction, { ...event, type: "user.linked", data });
    }
    // What was paused goes on from here.
    if (user.resumed)
      await recordAudit(transaction, { ...event, type: "person.resumed", data: { provider: provider.key } });
    const data = { provider: provider.key, sessionId: session.id, amr: session.amr };
    await recordAudit(transaction, { ...event, type: "sign_in.completed", data });
    if (claimed !== undefined) {
      const { id: userId } = user;
      await storeClaimedGroups(claimed, { userId, requestId: input.requestId, store: transaction, now });
    }
    return { token, userId: user.id };
  });
}

/** By which attribute the provider's SCIM names the account. */
function provisionedAs(
  { subject, oid }: Pick<ProvidedIdentity, "subject" | "oid">,
  { provisioningAttribute: attribute = "externalId", provisioningClaim: claim = "sub" }: IdentityProvider,
): ProvisionedAs | undefined {
  const value = claim === "sub" ? subject : oid;
  return value === undefined ? undefined : { attribute, value };
}

/** A provider whose clock is ahead must not make a sign-in look fresher than it is. */
function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
