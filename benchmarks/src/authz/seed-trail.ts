import { createHash } from "node:crypto";
import { createEventStamp } from "authz-server/dist/audit/event-proof.js";
import type { AuditEvent } from "authz-server/dist/audit/events.js";
import { indexEvents } from "authz-server/dist/audit/index-events.js";
import { recordAllAudits } from "authz-server/dist/audit/record.js";
import { deriveEventKey } from "authz-server/dist/audit/seal.js";
import { sealEvents } from "authz-server/dist/audit/seal-events.js";
import { createOpenSealKey, keepSealKey } from "authz-server/dist/audit/seal-key.js";
import { createCredentialVault } from "authz-server/dist/encryption-keys/open-vaults.js";
import { openStore } from "authz-server/dist/store/store.js";
import { showProgress } from "../frame.js";
import { type Extent, uuidOf } from "./seed-registry.js";

/** Events of one statement, and those that are sealed and indexed before the next are recorded. */
const statementSize = 1_000;
const portionSize = 50_000;
const days = 400;

/**
 * Events of {@link days} days, recorded, sealed and indexed by the server's own code, whose clock goes along.
 *
 * @param encryptionKey - the installation's, from which the server takes its keys
 */
export async function seedTrail(
  postgresUrl: string,
  { extent, encryptionKey }: { readonly extent: Extent; readonly encryptionKey: Buffer },
): Promise<void> {
  const eventKey = deriveEventKey(encryptionKey);
  const store = openStore({ postgresUrl, stampEvent: createEventStamp(eventKey) });
  const sealing = { store, credentials: createCredentialVault(encryptionKey) };
  const until = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const timeOf = (n: number) => until - (extent.events - n) * ((days * 86_400_000) / extent.events);
  const sealed = extent.events - extent.unsealed;
  try {
    await keepSealKey(sealing);
    for (let n = 0; n < extent.events; ) {
      // Where the clock stands while these are sealed: what is older than the seal before would be taken for forged.
      const startedAt = timeOf(n);
      const through = Math.min(n < sealed ? sealed : extent.events, n + portionSize);
      for (; n < through; n += statementSize) {
        const count = Math.min(statementSize, through - n);
        const events = Array.from({ length: count }, (_, index) =>
          createEvent(n + index + 1, new Date(timeOf(n + index + 1)), extent),
        );
        await recordAllAudits(store, events);
      }
      n = through;
      if (n <= sealed) {
        await sealEvents(store, await store.auditSeals.drawFence(), {
          openSealKey: createOpenSealKey(sealing),
          eventKey,
          clock: () => startedAt,
        });
        while (((await indexEvents(store)) ?? 0) > 0);
      }
      showProgress(`events ${n} of ${extent.events}`);
    }
    showProgress("");
  } finally {
    await store.close();
  }
}

/** The same number gives the same event. A few people and services do much, many do little. */
function createEvent(n: number, at: Date, { users, resources, grants, events }: Extent): AuditEvent {
  const random = (seed: number, below: number) => hash(n, seed) % below;
  const person = (random(2, 4) === 0 ? random(3, Math.ceil(users / 100)) : random(3, users)) + 1;
  const service = (random(4, 2) === 0 ? random(5, Math.ceil(resources / 100)) : random(5, resources)) + 1;
  const user = uuidOf("users", person);
  const machine = `client-${random(6, 200) + 1}`;
  const tokenId = digest(`${n} token`).toString("hex").slice(0, 32);
  const jkt = digest(`person ${person}`).toString("base64url");
  const grantId = uuidOf("grants", person % grants);
  const resource = `https://service${service}.example/api`;
  const scopes = ["area-2:read", "area-4:read"];
  const requestId = digest(`${n} request`).toString("hex").slice(0, 32);
  const byUser = {
    at,
    requestId,
    actor: { type: "user", id: user },
    subject: user,
    clientId: "authz-cli",
  } as const;
  const bySystem = { at, requestId, actor: { type: "system" } } as const;
  const share = random(1, 1000);
  if (n % 100_000 === 77) {
    const data = { provider: "p3", reason: "provider_unreachable" } as const;
    return { ...bySystem, type: "sign_in.refused", outcome: "failed", data };
  }
  if (share < 550) {
    const data = { grantType: "refresh_token", grantId, tokenId, jkt, scopes: ["authz:login"] };
    return { ...byUser, type: "token.issued", outcome: "success", data };
  }
  if (share < 830) {
    const data = { grantId, tokenId, jkt, resource, scopes };
    return { ...byUser, type: "assertion.issued", outcome: "success", data };
  }
  if (share < 890) {
    const by = { at, requestId, actor: { type: "client", id: machine }, clientId: machine } as const;
    return {
      ...by,
      type: "machine_token.issued",
      outcome: "success",
      data: { tokenId, jkt, resource, scopes },
    };
  }
  if (share < 940) {
    const provider = n < events / 5 ? "legacy" : "p1";
    const data = { provider, sessionId: tokenId, amr: ["pwd"] };
    return { ...byUser, type: "sign_in.completed", outcome: "success", data };
  }
  if (share < 980) {
    const data = {
      grantType: "refresh_token",
      grantId,
      error: "invalid_grant",
      reason: "refresh_token_used",
    };
    return { ...byUser, type: "token.refused", outcome: "denied", data };
  }
  if (share < 990) {
    const data = { provider: "p2", reason: "email_unverified" } as const;
    return { ...bySystem, type: "sign_in.refused", outcome: "denied", data };
  }
  if (share < 999) {
    return { ...byUser, type: "consent.given", outcome: "success", data: { jkt, scopes: ["authz:login"] } };
  }
  const data = { error: "server_error", reason: "directory_unavailable" };
  return { ...byUser, type: "authorization.refused", outcome: "failed", data };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A number that looks like any other, for a number and a purpose. */
function hash(n: number, seed: number): number {
  let mixed = Math.imul(n, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
