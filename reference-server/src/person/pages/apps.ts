import type { SignedInApp } from "../../pages/apps-section.js";
import { shortCode } from "../../protocol/secrets.js";
import { revokeGrants } from "../../lifecycle/revoke.js";
import { clientHost } from "../../store/clients.js";
import type { Store } from "../../store/store.js";

/** Longer lists are cut. */
const limit = 50;

/** The newest grants of a person, by the app that has them. */
export async function loadApps(
  store: Pick<Store, "consents" | "grants" | "scopes">,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<readonly SignedInApp[]> {
  const { items } = await store.grants.list({
    limit,
    sort: "createdAt",
    descending: true,
    after: undefined,
    q: undefined,
    userId,
    clientId: undefined,
    service: undefined,
    state: "live",
    now,
  });
  const consents = await store.consents.listStanding({ userId, now });
  const scopes = await store.scopes.findAll([
    ...new Set([...items, ...consents].flatMap((item) => item.scopes)),
  ]);
  const descriptions = new Map(scopes.map(({ key, description }) => [key, description]));
  const inWords = (keys: readonly string[]) =>
    keys.map((key) => ({ key, description: descriptions.get(key) ?? key }));
  const clients = new Map([...items, ...consents].map(({ client }) => [client.id, client]));
  return [...clients.values()].map((client) => ({
    id: client.id,
    name: client.name,
    host: clientHost(client) ?? undefined,
    grants: items
      .filter((grant) => grant.client.id === client.id)
      .map(({ id, jkt, deviceName, service, provider, createdAt, lastUsedAt, ...grant }) => ({
        id,
        deviceName: deviceName ?? undefined,
        shortCode: jkt === null ? undefined : shortCode(jkt),
        serviceName: service?.name,
        providerName: provider?.name,
        scopes: inWords(grant.scopes),
        since: createdAt,
        lastUsedAt,
      })),
    consents: consents
      .filter((consent) => consent.client.id === client.id)
      .map((consent) => ({ ...consent, scopes: inWords(consent.scopes) })),
  }));
}

interface Ending {
  readonly store: Store;
  readonly now: Date;
  readonly requestId: string;
}

/** Ends a person's own grant of an app on one device, with all its tokens. */
export async function endApp(
  { id, userId }: { readonly id: string; readonly userId: string },
  { store, now: at, requestId }: Ending,
): Promise<void> {
  const grant = await store.grants.find(id);
  if (grant === undefined || grant.userId !== userId) return;
  const actor = { type: "user", id: userId } as const;
  await revokeGrants({ ids: [id], reason: "revoked_by_user" }, { store, actor, at, requestId });
}

/** Ends all grants of a person. */
export async function endAllApps(userId: string, { store, now: at, requestId }: Ending): Promise<void> {
  const actor = { type: "user", id: userId } as const;
  await revokeGrants({ userId, reason: "revoked_by_user" }, { store, actor, at, requestId });
}
