import { z } from "zod";
import { clientFields, clientRegistrationSchema } from "../../registry/client.js";
import { listAnswer, listQuery, queryBoolean, timestamp } from "../door/list-query.js";

const clientTypes = ["public", "confidential", "machine"] as const;

export const clientParamsSchema = z.strictObject({ id: clientFields.id });

/** `GET /clients` */
export const clientQuerySchema = listQuery({
  sorts: ["name", "id"],
  filters: { type: z.enum(clientTypes).optional(), enabled: queryBoolean.optional() },
});
export type ClientQuery = z.input<typeof clientQuerySchema>;

/** A public key of a client, as it was registered. */
export const clientKeySchema = z.strictObject({
  kid: z.string(),
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
});
export type ClientKey = z.infer<typeof clientKeySchema>;

export const clientSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    type: z.enum(clientTypes),
    redirectUris: z.array(z.string()).describe("Empty for a machine"),
    keys: z.array(clientKeySchema).describe("Several while one replaces another; none for a public client"),
    dpopBound: z.boolean().describe("Every token of this client is bound to a key (RFC 9449 §5.2)"),
    scopes: z.array(z.string()).describe("What a machine may do; empty for others"),
    builtIn: z.boolean().describe("Part of every installation: cannot be changed or removed"),
    enabled: z.boolean(),
    grants: z.int().describe("Devices where people are logged in with it now"),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: "Client" });
export type Client = z.infer<typeof clientSchema>;

export const clientListSchema = listAnswer(clientSchema);
export type ClientList = z.infer<typeof clientListSchema>;

/** The same members and rules as in a registry file. */
export const newClientSchema = clientRegistrationSchema;
export type NewClient = z.input<typeof newClientSchema>;

/** What is given is replaced as a whole; the result has to be a valid client of its type. */
export const clientPatchSchema = z
  .strictObject({
    name: clientFields.name,
    redirectUris: clientFields.redirectUris,
    keys: z.array(z.record(z.string(), z.unknown())).describe("Public JWKs, each with a kid"),
    dpopBound: clientFields.dpopBound,
    scopes: clientFields.scopes,
    enabled: clientFields.enabled,
  })
  .partial();
export type ClientPatch = z.infer<typeof clientPatchSchema>;
