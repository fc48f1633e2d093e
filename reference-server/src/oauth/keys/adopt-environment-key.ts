import { recordAudit } from "../../audit/record.js";
import type { SigningKey } from "../../config/config.js";
import { signingKeyRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { SigningKeyRecord } from "../../store/signing-keys.js";
import type { Store } from "../../store/store.js";
import { SigningKeyError } from "./signing-key-error.js";

/**
 * Takes the key of the environment into the database: as the active key when it is the first one, else as a staged key.
 *
 * Processes that start together may all call it. Returns what was done.
 *
 * @throws {SigningKeyError} The database knows this `kid` with another key.
 */
export async function adoptEnvironmentKey(
  { kid, privateJwk, publicJwk }: SigningKey,
  { store, credentials, at }: { store: Store; credentials: Vault; at: Date },
): Promise<"known" | "active" | "staged"> {
  const known = await store.signingKeys.find(kid);
  if (known !== undefined) {
    requireSameKey(known, publicJwk);
    return "known";
  }
  return await store.transaction(async (tx) => {
    await tx.settings.lock();
    const first = (await tx.signingKeys.list({ limit: 1 })).length === 0;
    const state = first ? "active" : "staged";
    const isNew = await tx.signingKeys.insertMissing({
      kid,
      publicJwk,
      privateJwk: await credentials.seal(JSON.stringify(privateJwk), signingKeyRow(kid)),
      source: "environment",
      state,
      stagedAt: at,
      activatedAt: first ? at : null,
      retiredAt: null,
      publishedUntil: null,
    });
    if (!isNew) return "known";
    const event = { outcome: "success", actor: { type: "system" }, at } as const;
    const data = { kid, source: "environment" } as const;
    await recordAudit(tx, { ...event, type: "signing_key.staged", data });
    if (first) {
      const activation = { kid, replaced: null, emergency: false };
      await recordAudit(tx, { ...event, type: "signing_key.activated", data: activation });
    }
    return state;
  });
}

function requireSameKey({ kid, publicJwk }: SigningKeyRecord, { x, y }: SigningKey["publicJwk"]): void {
  if (publicJwk.x === x && publicJwk.y === y) return;
  throw new SigningKeyError(
    "kid_taken",
    `AUTHZ_SIGNING_KID is ${kid}, which the database knows with another key. ` +
      'A new key needs a new id: "authz-server secrets" prints a pair with its own.',
  );
}
