import { z } from "zod";
import { clientFields, clientRegistrationSchema } from "../../registry/client.js";
import { grantTypes } from "../../protocol/vocabulary.js";
import { listQuery, queryBoolean } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const clientTypes = ["public", "confidential", "machine"] as const;

const clientSources = ["registered", "metadata_document", "dynamic_registration"] as const;
const source = z
  .enum(clientSources)
  .describe(
    "How this server knows it: an administrator registered it, its id is the address of its document, or it registered itself",
  );
const host = z
  .string()
  .nullable()
  .describe("Where its metadata document is, which proves where it comes from; null for every other client");

/** The id of any client: of one with a metadata document it is a URL. */
export const clientId = z.string().min(1).max(2000);

export const clientParamsSchema = z.strictObject({ id: clientId });

/** A client beside something of it. */
export const clientNameSchema = z
  .strictObject({ id: z.string(), name: z.string(), source, host })
  .meta({ id: "ClientName" });
export type NamedClient = z.infer<typeof clientNameSchema>;

/** `GET /clients` */
export const clientQuerySchema = listQuery({
  sorts: ["name", "id"],
  filters: {
    type: z.enum(clientTypes).optional(),
    source: z.enum(clientSources).optional(),
    enabled: queryBoolean.optional(),
  },
});

/** A public key of a client, as it was registered. */
const clientKeySchema = z.strictObject({
  kid: z.string(),
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
});

export const clientSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    type: z.enum(clientTypes),
    source,
    host,
    trusted: z
      .boolean()
      .describe("false: its host is no longer allowed, or its way in was closed, so it gets nothing"),
    redirectUris: z.array(z.string()).describe("Empty for a machine"),
    keys: z.array(clientKeySchema).describe("Several while one replaces another; none for a public client"),
    grantTypes: z
      .array(z.enum(grantTypes))
      .describe("The only grants that it may use; of a client that nobody registered, those that it lists"),
    dpopBound: z.boolean().describe("Every token of this client is bound to a key (RFC 9449 §5.2)"),
    scopes: z.array(z.string()).describe("What a machine may do; empty for others"),
    ceiling: z
      .array(z.string())
      .nullable()
      .describe("All it can ever get, whoever uses it; null: what its person may do"),
    builtIn: z.boolean().describe("Part of every installation: cannot be changed or removed"),
    enabled: z.boolean().describe("The switch of the administrator"),
    grants: z.int().describe("Devices where people are signed in with it now"),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: "Client" });
export type Client = z.infer<typeof clientSchema>;

/** The same members and rules as in a registry file. */
export type NewClient = z.input<typeof clientRegistrationSchema>;

/**
 * What is given is replaced as a whole; the result has to be a valid client of its type. Of a client that nobody registered here
 * there are only `ceiling` and `enabled` to change.
 */
export const clientPatchSchema = z
  .strictObject({
    name: clientFields.name,
    redirectUris: clientFields.redirectUris,
    keys: z.array(z.record(z.string(), z.unknown())).describe("Public JWKs, each with a kid"),
    dpopBound: clientFields.dpopBound,
    ceiling: clientFields.ceiling,
    scopes: clientFields.scopes,
    enabled: clientFields.enabled,
  })
  .partial();
export type ClientPatch = z.infer<typeof clientPatchSchema>;

export const clientSignOutSchema = z.strictObject({
  grants: z.int().describe("How many signed-in apps have ended"),
  people: z.int().describe("Whose they were"),
});
export type ClientSignOut = z.infer<typeof clientSignOutSchema>;

const usagePeriods = ["24h", "7d", "30d", "90d"] as const;

/** What was issued through a client, what was refused, and to how many people. */
export const clientUsageSchema = z
  .strictObject({
    countedThrough: timestamp
      .nullable()
      .describe("Events up to here are counted, a few seconds ago; null when none are yet"),
    periods: z.array(
      z.strictObject({
        period: z.enum(usagePeriods).describe("Up to now: by whole hours, or by whole days (UTC)"),
        issued: z.int().describe("Tokens and identity assertions"),
        denied: z.int(),
        people: z.int().describe("Whom something was issued to or refused"),
      }),
    ),
  })
  .meta({ id: "ClientUsage" });
export type ClientUsage = z.infer<typeof clientUsageSchema>;
