import { readUserAgent } from "../../person/pages/browsers.js";
import { shortCode } from "../../protocol/secrets.js";
import type { ListedGrant } from "../../store/grants.js";
import type { ListedSession } from "../../store/browser-sessions.js";
import type { Caller } from "../door/call.js";
import { findChangeable, type RoleSources } from "../people/changeable.js";
import { showClientName } from "../clients/show-client.js";
import { showAs } from "../door/show.js";
import { type Grant, grantSchema, type Session, sessionSchema } from "./schemas.js";

type Showing = RoleSources & { readonly caller: Caller };

export async function showSessions(
  sessions: readonly ListedSession[],
  { caller, ...sources }: Showing,
): Promise<Session[]> {
  const people = sessions.map(({ user }) => user);
  const isChangeable = await findChangeable(people, caller, sources);
  return sessions.map((session) => {
    const { product = null, system = null } = readUserAgent(session.userAgent);
    return showAs(sessionSchema)({
      ...session,
      browser: { product, system },
      authenticatedAt: session.authTime,
      current: caller.type === "user" && caller.session.id === session.id,
      changeable: isChangeable(session.user.id),
    });
  });
}

export async function showGrants(
  grants: readonly ListedGrant[],
  { caller, now, ...sources }: Showing & { readonly now: Date },
): Promise<Grant[]> {
  const people = grants.map(({ user }) => user);
  const isChangeable = await findChangeable(people, caller, sources);
  return grants.map((grant) => {
    const { client, jkt, authTime, expiresAt, revokedAt } = grant;
    return showAs(grantSchema)({
      ...grant,
      client: showClientName(client),
      shortCode: jkt === null ? null : shortCode(jkt),
      authenticatedAt: authTime,
      state: revokedAt === null && expiresAt > now ? "live" : "ended",
      changeable: isChangeable(grant.user.id),
    });
  });
}
