import { defaultsOf } from "../../src/objects/object.js";
import { resourceShape } from "../../src/objects/resource.js";
import type { Verdict } from "../../src/oauth/grants/grant.js";
import type { Client } from "../../src/store/clients.js";
import type { Grant } from "../../src/store/grants.js";
import type { Resource } from "../../src/store/resources.js";
import type { Permissions } from "../../src/permissions/effective-scopes.js";
import { builtInClient } from "../../src/registry/default-records.js";

/** Noon. The records below were made some time before. */
export const now = new Date("2026-11-20T12:00:00Z");

export function secondsAgo(seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}

export const jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";
export const client: Client = builtInClient;
export const userId = "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60";

export function grantRecord(change: Partial<Grant> = {}): Grant {
  return {
    id: "2b8c7a64-9d1e-4f3a-b5c6-0f1e2d3c4b5a",
    userId,
    clientId: client.id,
    jkt,
    deviceName: null,
    resourceId: null,
    scopes: ["openid", "profile", "email", "offline_access", "authz:login"],
    authTime: secondsAgo(3600),
    amr: [],
    createdAt: secondsAgo(3600),
    expiresAt: secondsAgo(-3600),
    providerId: null,
    revokedAt: null,
    statusIndex: 4711,
    ...change,
  };
}

/** Ada, with these scopes by assignment. */
export function personRecord(
  scopes: readonly string[] = ["authz:login"],
  enabled = true,
  pausedAt: Date | null = null,
): Permissions {
  const email = "ada@acme.example";
  return {
    user: { id: userId, email, name: "Ada Lovelace", enabled, pausedAt },
    assignments: scopes.map((scope, index) => ({ id: `assignment-${index}`, email, scope })),
    undecided: [],
  };
}

/** A service about which nothing is special, at its own address or another. */
export function resourceRecord({
  authorizationServer = "https://contracts.acme.example",
  resource = `${authorizationServer}/api`,
  ...change
}: Partial<Resource> = {}): Resource {
  return {
    id: "5f0d3c1e-2b4a-4c6d-8e7f-112233445566",
    key: "contracts",
    name: "Contracts",
    resource,
    authorizationServer,
    clientId: "authz-cli",
    requestPrefixes: [resource],
    supportedScopes: [],
    ...defaultsOf(resourceShape),
    builtIn: false,
    ...change,
  };
}

export const issuer = "https://authz.example";

/** What the shared phases hand to a decision. */
export function decisionContext(thumbprint: string = jkt) {
  return { client, issuer, proof: { thumbprint, jti: "j", iat: 0, expiresAt: 0 }, now };
}

/** The code with which a grant is refused: what goes on later is no invalid grant. */
export function codeOf(reason: string | undefined): string {
  return reason === "user_paused" || reason === "stopped" ? "access_denied" : "invalid_grant";
}

/** A verdict in one line: its kind, and what is permitted or why it is refused. */
export function describeVerdict<Permit>(
  verdict: Verdict<Permit>,
  describePermit: (permit: Permit) => string,
): string {
  if (verdict.kind === "permit") return `permit ${describePermit(verdict.permit)}`;
  if (verdict.kind === "wait") return "wait";
  return `${verdict.kind} ${verdict.error.code} ${verdict.error.reason}`;
}
