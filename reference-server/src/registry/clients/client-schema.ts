import type { PublicJwk } from "@authz/dpop";
import { importPublicJwk, JwsError } from "@authz/dpop/jws";
import { z } from "zod";
import type { Client } from "../../store/clients.js";
import { redirectUriFault } from "./redirect-uris.js";

/** A client as somebody registers it, and what a machine client may do. */
export interface ClientRegistration {
  readonly client: Client;
  readonly machineScopes: readonly string[];
}

/** More than two are never needed at once; a few more do no harm. */
const maximumKeys = 8;

const name = z.string().trim().min(1).max(200);
const id = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, "must consist of a-z, 0-9, dots, hyphens and underscores")
  // Subjects of people are UUIDs: a client must not look like one of them (RFC 9700 §4.15).
  .refine((value) => !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value), {
    message: "must not be a UUID: people are named by UUIDs",
  });

const key = z.record(z.string(), z.unknown()).transform((jwk, context): Client["keys"][number] => {
  const { kid } = jwk;
  if (typeof kid !== "string" || !/^[\x21-\x7e]{1,256}$/.test(kid)) {
    context.addIssue({ code: "custom", path: ["kid"], message: "must be a text without spaces" });
    return z.NEVER;
  }
  try {
    importPublicJwk(jwk);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    const message = `must be the public JWK of a P-256 key for ES256: ${error.reason}`;
    context.addIssue({ code: "custom", message });
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
      context.addIssue({ code: "custom", path: [index, "kid"], message: `"${kid}" appears twice` });
    }
  });

/** The members of a client; each type has some of them. */
export const clientFields = {
  id,
  name,
  redirectUris: z.array(z.string().max(2000)).max(20),
  keys,
  dpopBound: z.boolean(),
  scopes: z.array(z.string().max(200)).max(500),
  enabled: z.boolean(),
};

/** A client that acts for people, with a browser or a device code. */
export const registeredClientSchema = z
  .strictObject({
    id,
    name,
    type: z.enum(["public", "confidential"]),
    redirectUris: clientFields.redirectUris,
    keys: keys.default([]),
    dpopBound: clientFields.dpopBound.default(true),
    enabled: clientFields.enabled.default(true),
  })
  .superRefine(({ type, redirectUris, keys: given }, context) => {
    for (const [index, uri] of redirectUris.entries()) {
      const message = redirectUriFault(uri, type);
      if (message !== undefined) context.addIssue({ code: "custom", path: ["redirectUris", index], message });
    }
    if (type === "public" && given.length > 0) {
      const message = "must be left out: a public client has nothing to prove itself with";
      context.addIssue({ code: "custom", path: ["keys"], message });
    }
    if (type === "confidential" && given.length === 0) {
      const message = "must have a key: a confidential client signs its assertions";
      context.addIssue({ code: "custom", path: ["keys"], message });
    }
  })
  .transform((client): ClientRegistration => {
    return { client: { ...client, builtIn: false }, machineScopes: [] };
  });

/** The members of a client that acts for itself. */
const machineClient = z.strictObject({
  id,
  name,
  keys: keys.min(1, "must have a key: a machine signs its assertions"),
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
  const fixed = { type: "machine", redirectUris: [], dpopBound: true, builtIn: false } as const;
  return { client: { ...client, ...fixed }, machineScopes: [...new Set(scopes)].sort() };
}
