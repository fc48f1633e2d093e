import { z } from "zod";
import { key, scopeKey, url } from "../../objects/fields.js";
import { checkSchema } from "../../registry/probes/check.js";
import { type RuleOptions, shownMembers } from "../../objects/object.js";
import { resourceShape } from "../../objects/resource.js";
import { type Listing, listQuery, queryBoolean } from "../door/list-query.js";
import { versionMembers } from "../door/show.js";

/** A registered service. */
export const resourceSchema = z
  .strictObject({
    ...shownMembers(resourceShape),
    builtIn: z
      .boolean()
      .describe(
        "This server's address for agents, part of every installation: only `name`, `enabled` and `allowsBearer` can be changed",
      ),
    ...versionMembers,
  })
  .meta({ id: "Resource" });

export const resourceParamsSchema = z.strictObject({ key });

/** `GET /resources` */
export const resourceQuerySchema = listQuery({
  sorts: ["name", "key", "createdAt"],
  filters: { enabled: queryBoolean.optional(), scope: scopeKey.optional() },
});

/** `POST /resources/inspections` */
export function inspectionRequestSchema({
  allowInsecureLoopback,
}: Pick<RuleOptions, "allowInsecureLoopback">) {
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
export type ResourceList = Listing<Resource>;
export type CreateResource = z.input<typeof resourceShape>;
export type Inspection = z.infer<typeof inspectionSchema>;
