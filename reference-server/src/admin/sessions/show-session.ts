import { readUserAgent } from "../../person/pages/browsers.js";
import { shortCode } from "../../protocol/secrets.js";
import type { ListedGrant } from "../../store/grants.js";
import type { ListedSession } from "../../store/browser-sessions.js";
import type { Caller } from "../door/call.js";
import { showClientName } from "../clients/show-client.js";
import { isoTime } from "../door/list-query.js";
import type { Grant, Session } from "./schemas.js";

export function showSession(session: ListedSession, caller: Caller): Session {
  const { id, user, provider, userAgent, authTime, amr, signedInAt, expiresAt } = session;
  const { product, system } = readUserAgent(userAgent);
  return {
    id,
    user,
    provider,
    browser: { product: product ?? null, system: system ?? null },
    userAgent,
    authenticatedAt: authTime && isoTime(authTime),
    amr: [...amr],
    signedInAt: isoTime(signedInAt),
    lastUsedAt: isoTime(session.lastUsedAt),
    expiresAt: isoTime(expiresAt),
    current: caller.type === "user" && caller.session.id === id,
  };
}

export function showGrant(grant: ListedGrant, now: Date): Grant {
  const { id, user, client, service, provider, jkt, scopes, authTime, amr, createdAt, expiresAt, revokedAt } =
    grant;
  return {
    id,
    user,
    client: showClientName(client),
    service,
    provider,
    deviceName: grant.deviceName,
    shortCode: jkt === null ? null : shortCode(jkt),
    scopes: [...scopes],
    authenticatedAt: authTime && isoTime(authTime),
    amr: [...amr],
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTime(grant.lastUsedAt),
    expiresAt: isoTime(expiresAt),
    state: revokedAt === null && expiresAt > now ? "live" : "ended",
    revokedAt: revokedAt && isoTime(revokedAt),
    revocationReason: grant.revocationReason,
  };
}
