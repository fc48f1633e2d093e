import { isDeepStrictEqual } from "node:util";
import type { PublicJwk } from "@authz/dpop";
import { importPublicJwk, JwsError } from "@authz/dpop/jws";
import { z } from "zod";
import { redirectUriFault } from "../protocol/redirect-uri.js";
import { type Client, type ListedClient, registeredClient, registeredGrants } from "../store/clients.js";
import type { Store } from "../store/store.js";
import { addFaults, issue, type RuleFault } from "../objects/check.js";
import { inUse, notFound, Refusal, requireNone, taken } from "./refusal.js";
import { findUnknownScopes } from "./scope.js";
import { changedFields, type Work } from "./work.js";

/** A client as it is registered, and the scopes of a machine client. */
export interface ClientRegistration {
  readonly client: Client;
  readonly machineScopes: readonly string[];
}

/** More than two are never needed at once; a few more do no harm. */
const maximumKeys = 8;

const name = z.string().trim().min(1).max(200);
const clientId = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, issue("clientId").message)
  // Subjects of people are UUIDs: a client must not look like one of them (RFC 9700 §4.15).
  .refine((value) => !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value), issue("clientIdIsUuid"));

const key = z.record(z.string(), z.unknown()).transform((jwk, context): Client["keys"][number] => {
  const { kid } = jwk;
  if (typeof kid !== "string" || !/^[\x21-\x7e]{1,256}$/.test(kid)) {
    addFaults(context, [{ path: ["kid"], code: "kid" }]);
    return z.NEVER;
  }
  try {
    importPublicJwk(jwk);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    addFaults(context, [{ path: [], code: "jwk", values: { reason: error.reason } }]);
    return z.NEVER;
  }
  const { x, y } = jwk as unknown as PublicJwk;
  return { kid, publicJwk: { kty: "EC", crv: "P-256", x, y } };
});

const keys = z
  .array(key)
  .max(maximumKeys)
  .superRefine((items, context) => {
    for (const [index, { kid }] of items.entries()) {
      if (items.findIndex((item) => item.kid === kid) === index) continue;
      addFaults(context, [{ path: [index, "kid"], code: "twice", values: { value: kid } }]);
    }
  });

/** The members of a client; each type has some of them. */
export const clientFields = {
  id: clientId,
  name,
  redirectUris: z.array(z.string().max(2000)).max(20),
  keys,
  dpopBound: z.boolean(),
  ceiling: z.array(z.string().max(200)).max(500).nullable(),
  scopes: z.array(z.string().max(200)).max(500),
  enabled: z.boolean(),
};

/** A client that acts for people, with a browser or a device code. */
export const registeredClientSchema = z
  .strictObject({
    id: clientId,
    name,
    type: z.enum(["public", "confidential"]),
    redirectUris: clientFields.redirectUris,
    keys: keys.default([]),
    dpopBound: clientFields.dpopBound.default(true),
    ceiling: clientFields.ceiling.default(null),
    enabled: clientFields.enabled.default(true),
  })
  .superRefine(({ type, redirectUris, keys: given }, context) => {
    addFaults(context, [
      ...redirectUris.flatMap((uri, index): RuleFault[] => {
        const code = redirectUriFault(uri, type);
        return code === undefined ? [] : [{ path: ["redirectUris", index], code }];
      }),
      ...(type === "public" && given.length > 0 ? [{ path: ["keys"], code: "keysNotWanted" } as const] : []),
      ...(type === "confidential" && given.length === 0
        ? [{ path: ["keys"], code: "confidentialKey" } as const]
        : []),
    ]);
  })
  .transform(({ ceiling, ...client }): ClientRegistration => {
    const limits = toLimits(ceiling);
    return { client: { ...registeredClient, ...client, ...limits, builtIn: false }, machineScopes: [] };
  });

/** The members of a client that acts for itself. */
const machineClient = z.strictObject({
  id: clientId,
  name,
  keys: keys.min(1, issue("machineKey").message),
  scopes: clientFields.scopes,
  enabled: clientFields.enabled.default(true),
});

/** A client that acts for itself. Its tokens are always bound to a key. */
export const machineClientSchema = machineClient.transform(toMachineRegistration);

/** A client of any type; the member `type` says which. */
export const clientRegistrationSchema = z.discriminatedUnion("type", [
  registeredClientSchema,
  machineClient.extend({ type: z.literal("machine") }).transform(toMachineRegistration),
]);

function toMachineRegistration({ scopes, ...client }: z.infer<typeof machineClient>): ClientRegistration {
  const type = "machine";
  const fixed = {
    type,
    grantTypes: registeredGrants(type),
    redirectUris: [],
    dpopBound: true,
    builtIn: false,
  } as const;
  return { client: { ...registeredClient, ...client, ...fixed }, machineScopes: [...new Set(scopes)].sort() };
}

/** A ceiling as it is stored; `null`: there is none. */
export function toLimits(ceiling: readonly string[] | null): Pick<Client, "limited" | "ceiling"> {
  return { limited: ceiling !== null, ceiling: [...new Set(ceiling)].sort() };
}

/**
 * Stores a client as it is registered; the same registration a second time changes nothing.
 *
 * @param before - `undefined`: the client shall be new
 * @throws {Refusal} `already_exists`, also for the id of an unregistered app; `in_use` for the built-in
 * client; `invalid_request` for an unknown scope
 */
export async function saveClient(
  {
    before,
    after: { client, machineScopes },
  }: { readonly before: Client | undefined; readonly after: ClientRegistration },
  { store, at, audit }: Work,
): Promise<void> {
  const { id, type } = client;
  if (before === undefined && (await store.clients.find(id)) !== undefined)
    throw taken("client", { id }, "id");
  if (before?.builtIn === true) throw inUse("builtInClient", { id });
  if (before !== undefined && before.source !== client.source) throw taken("client", { id }, "id");
  if (before !== undefined && before.type !== type) {
    throw new Refusal("already_exists", {
      key: "administration.refusals.otherClientType",
      values: { id, type: before.type },
    });
  }
  const named = [
    { scopes: machineScopes, placeOf: () => "scopes" },
    { scopes: client.ceiling, placeOf: () => "ceiling" },
  ];
  requireNone(await findUnknownScopes(named, store));
  const heldScopes = before === undefined ? [] : await store.clients.listMachineScopes(id);
  const fields = before === undefined ? [] : changedFields(before, client);
  const scopesDiffer = !isDeepStrictEqual(heldScopes, machineScopes);
  if (before === undefined || fields.length > 0) await store.clients.save(client, at);
  if (scopesDiffer) await store.clients.saveMachineScopes(id, machineScopes);
  if (before === undefined) return await audit({ type: "client.created", data: { id, type } });
  // A ceiling is two columns and one thing.
  const names = fields.map((field) => (field === "limited" ? "ceiling" : field));
  const changed = [...new Set(scopesDiffer ? [...names, "scopes"] : names)];
  if (changed.length > 0) await audit({ type: "client.changed", data: { id, fields: changed } });
}

/** @throws {Refusal} `in_use` for the built-in client, and while people are logged in with it */
export async function removeClient(
  { id, type, builtIn, grants }: ListedClient,
  { store, audit }: Work,
): Promise<void> {
  if (builtIn) throw inUse("builtInClient", { id });
  if (grants > 0) throw inUse("clientInUse", { id, devices: grants });
  await store.clients.remove(id);
  await audit({ type: "client.removed", clientId: id, data: { id, type } });
}

/** @throws {Refusal} `not_found` */
export async function findClient(
  store: Pick<Store, "clients">,
  id: string,
  now: Date,
): Promise<ListedClient> {
  const client = await store.clients.describe(id, now);
  if (client === undefined) throw notFound("client", { id });
  return client;
}
