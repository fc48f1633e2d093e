import { z } from "zod";
import { key, scopeKey, url } from "../../objects/fields.js";
import { checkSchema } from "../../registry/probes/check.js";
import { resourceFields } from "../../registry/resource.js";
import { listAnswer, listQuery, queryBoolean, timestamp } from "../door/list-query.js";
import type { AreaOptions } from "../door/area.js";

type SchemaOptions = Pick<AreaOptions, "allowInsecureLoopback" | "issuer">;

/** A registered service. */
export const resourceSchema = z
  .strictObject({
    key: z.string(),
    name: z.string(),
    resource: z.string().describe("The resource identifier: `aud` of the service's access tokens"),
    authorizationServer: z
      .string()
      .describe("Who gives out tokens for it: the service itself (its `publicOrigin`), or this server"),
    clientId: z.string().describe("The id of the command-line client at the service"),
    requestPrefixes: z.array(z.string()).describe("Where clients may send requests with credentials"),
    requestHeaders: z
      .array(z.string())
      .describe("Request headers that agents may send through this server, beside those that any API takes"),
    supportedScopes: z.array(z.string()),
    enabled: z.boolean(),
    skillDiscovery: z.boolean(),
    allowsBearer: z
      .boolean()
      .describe("Takes Bearer tokens, and identity assertions that are bound to no key"),
    agentCalls: z
      .boolean()
      .describe("Agents reach it through this server, which signs a token for person and app"),
    builtIn: z
      .boolean()
      .describe(
        "This server's address for agents, part of every installation: only `name`, `enabled` and `allowsBearer` can be changed",
      ),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: "Resource" });

/** `POST /resources` */
export function createResourceSchema(options: SchemaOptions) {
  return z.strictObject(resourceFields(options));
}

/** `PATCH /resources/{key}`: what is absent stays as it is. The key never changes: it begins the ids of skills. */
export function changeResourceSchema(options: SchemaOptions) {
  const {
    key: _key,
    enabled,
    skillDiscovery,
    allowsBearer,
    agentCalls,
    requestHeaders,
    ...fields
  } = resourceFields(options);
  const flags = {
    enabled: enabled.unwrap(),
    skillDiscovery: skillDiscovery.unwrap(),
    allowsBearer: allowsBearer.unwrap(),
    agentCalls: agentCalls.unwrap(),
  };
  return z.strictObject({ ...fields, requestHeaders: requestHeaders.unwrap(), ...flags }).partial();
}

export const resourceParamsSchema = z.strictObject({ key });

/** `GET /resources` */
export const resourceQuerySchema = listQuery({
  sorts: ["name", "key", "createdAt"],
  filters: { enabled: queryBoolean.optional(), scope: scopeKey.optional() },
});
export const resourceListSchema = listAnswer(resourceSchema);

/** `POST /resources/inspections` */
export function inspectionRequestSchema({ allowInsecureLoopback }: SchemaOptions) {
  return z.strictObject({
    address: url(allowInsecureLoopback).describe(
      "Any address of the service. Its metadata is read from the origin; without a document there, from the path of this address (RFC 9728 §3.1)",
    ),
    key: key
      .optional()
      .describe(
        "Of the resource as which it is registered, to check it again: it is no conflict with itself",
      ),
  });
}

/** What a service publishes about itself, and whether it can be registered. */
export const inspectionSchema = z
  .strictObject({
    origin: z.string(),
    ready: z
      .boolean()
      .describe("No check failed: `resource` can be sent to `POST /resources`, or is registered already"),
    checks: z.array(checkSchema),
    resource: resourceSchema
      .omit({ builtIn: true, createdAt: true, updatedAt: true, version: true })
      .nullable()
      .describe(
        "A draft for `POST /resources`, or as it is with what the service says now; `null` when the service does not say enough",
      ),
    unknownScopes: z.array(z.string()).describe("To be created with `POST /scopes` first"),
  })
  .meta({ id: "Inspection" });

export type Resource = z.infer<typeof resourceSchema>;
export type ResourceList = z.infer<typeof resourceListSchema>;
export type CreateResource = z.input<ReturnType<typeof createResourceSchema>>;
export type Inspection = z.infer<typeof inspectionSchema>;
