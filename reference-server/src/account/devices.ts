import { recordAudit } from "../audit/record.js";
import { shortCode } from "../protocol/short-code.js";
import type { Store } from "../store/store.js";

/** A device that acts for a person. */
export interface Device {
  /** Of the grant. */
  readonly id: string;
  readonly clientName: string;
  /** `undefined` for a client without a key of its own. */
  readonly shortCode: string | undefined;
  readonly since: Date;
}

/** Nobody looks through more. */
const limit = 50;

/** The newest devices that act for a person. */
export async function loadDevices(
  store: Pick<Store, "grants" | "clients">,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<readonly Device[]> {
  const grants = await store.grants.listLive({ userId, now, limit });
  const clientIds = [...new Set(grants.map(({ clientId }) => clientId))];
  const clients = await Promise.all(clientIds.map((id) => store.clients.find(id)));
  const names = new Map(
    clients.flatMap((client) => (client === undefined ? [] : [[client.id, client.name]])),
  );
  return grants.map(({ id, clientId, jkt, createdAt }) => ({
    id,
    clientName: names.get(clientId) ?? clientId,
    shortCode: jkt === null ? undefined : shortCode(jkt),
    since: createdAt,
  }));
}

/** Signs a device of a person out: all its tokens end. Does nothing to a device of somebody else. */
export async function endDevice(
  { id, userId }: { readonly id: string; readonly userId: string },
  { store, now: at, requestId }: { readonly store: Store; readonly now: Date; readonly requestId: string },
): Promise<void> {
  const grant = await store.grants.find(id);
  if (grant === undefined || grant.userId !== userId) return;
  await store.transaction(async (transaction) => {
    const reason = "revoked_by_user";
    if (!(await transaction.grants.revoke({ id, reason, at }))) return;
    await recordAudit(transaction, {
      type: "grant.revoked",
      outcome: "success",
      actor: { type: "user", id: userId },
      at,
      subject: userId,
      clientId: grant.clientId,
      requestId,
      data: { grantId: id, reason },
    });
  });
}
