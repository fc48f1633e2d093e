import { readUserAgent } from "../../person/pages/browsers.js";
import { shortCode } from "../../protocol/secrets.js";
import type { ListedGrant } from "../../store/grants.js";
import type { ListedSession } from "../../store/browser-sessions.js";
import type { Caller } from "../door/call.js";
import { showClientName } from "../clients/show-client.js";
import { showAs } from "../door/show.js";
import { type Grant, grantSchema, type Session, sessionSchema } from "./schemas.js";

export function showSession(session: ListedSession, caller: Caller): Session {
  const { product = null, system = null } = readUserAgent(session.userAgent);
  return showAs(sessionSchema)({
    ...session,
    browser: { product, system },
    authenticatedAt: session.authTime,
    current: caller.type === "user" && caller.session.id === session.id,
  });
}

export function showGrant(grant: ListedGrant, now: Date): Grant {
  const { client, jkt, authTime, expiresAt, revokedAt } = grant;
  return showAs(grantSchema)({
    ...grant,
    client: showClientName(client),
    shortCode: jkt === null ? null : shortCode(jkt),
    authenticatedAt: authTime,
    state: revokedAt === null && expiresAt > now ? "live" : "ended",
  });
}
