import { z } from "zod";
import { issue } from "../../objects/check.js";
import { key } from "../../objects/fields.js";
import { clientId } from "../clients/schemas.js";
import { repeatable } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const auditOutcomeSchema = z.enum(["success", "denied", "failed"]);

const moment = z.iso.datetime({
  offset: true,
  error: issue("zonedTime").message,
});
const who = z.string().trim().min(1).max(256);

/** What both the list and the export take. Every condition must hold. */
export const auditFilterSchema = z.strictObject({
  from: moment.optional(),
  to: moment.optional().describe("Exclusive"),
  type: repeatable(z.string().max(100), 50).optional().describe("An event type; repeat it for several"),
  outcome: auditOutcomeSchema.optional(),
  actor: who.optional().describe("The id or the email address of who did it"),
  subject: who.optional().describe("The id or the email address of whom it is about"),
  client: clientId.optional().describe("The id of a client; of one with a metadata document it is a URL"),
  service: key
    .optional()
    .describe(
      "The key of a resource: what was issued, called or denied there, and what was changed about it",
    ),
  connector: key
    .optional()
    .describe("The key of a connector: accounts there, requests through it, and what was changed about it"),
  q: z
    .string()
    .max(200)
    .optional()
    .describe("Words, each of which an event must contain or contain as the beginning of a word"),
});

/** `GET /audit-events` */
export const auditQuerySchema = auditFilterSchema.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional().describe("`nextCursor` of the page before"),
});

export const auditParamsSchema = z.strictObject({
  id: z.string().regex(/^\d{1,18}$/, issue("eventNumber").message),
});

const auditPersonSchema = z.strictObject({
  id: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
});

const auditActorSchema = z.strictObject({
  type: z.enum(["user", "client", "operator", "system"]),
  id: z.string().nullable(),
  email: z.string().nullable().describe("Of a person, as it is today"),
  name: z.string().nullable().describe("Of a person or a client, as it is today"),
});

/** An object that an event is about. Whether it still exists is not said. */
const auditLinkSchema = z.strictObject({
  type: z.enum([
    "user",
    "client",
    "scope",
    "resource",
    "assignment",
    "identity-provider",
    "group-provider",
    "skill",
    "catalog",
    "signing-key",
    "connector",
    "session",
    "grant",
    "settings",
    "approval",
  ]),
  id: z.string(),
  name: z.string().nullable().describe("Of a person, a client, a service or a provider, as it is today"),
});

export const auditEventSchema = z
  .strictObject({
    id: z.string(),
    at: z.string().describe("UTC with microseconds"),
    type: z.string(),
    version: z.int(),
    outcome: auditOutcomeSchema,
    description: z.string().describe("What happened, as one English sentence"),
    actor: auditActorSchema,
    subject: auditPersonSchema.nullable(),
    client: z
      .strictObject({
        id: z.string(),
        name: z.string().nullable().describe("As it is today"),
        host: z.string().nullable().describe("Of a client with a metadata document: where that is"),
      })
      .nullable()
      .describe("The app through which it was done, or that it is about"),
    requestId: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    links: z.array(auditLinkSchema),
  })
  .meta({ id: "AuditEvent" });

/** Events, newest first. */
export const auditListSchema = z.strictObject({
  items: z.array(auditEventSchema),
  nextCursor: z.string().nullable(),
  searchedThrough: timestamp
    .nullable()
    .describe("With q: events up to here are found by their words; null when none are yet"),
});

/** `GET /audit-events/export` */
export const auditExportSchema = auditFilterSchema.extend({ format: z.enum(["csv", "ndjson"]) });

/** `GET /audit-events/verification` */
export const auditVerificationQuerySchema = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("`nextAfter` of the part before"),
});

const auditFaultSchema = z.strictObject({
  kind: z.enum([
    "seal_missing",
    "seal_changed",
    "seal_forged",
    "link_broken",
    "events_missing",
    "events_added",
    "events_changed",
    "event_forged",
    "archive_forged",
  ]),
  text: z.string(),
  sealId: z.int(),
  firstEventId: z.string(),
  lastEventId: z.string(),
});

/** A part of the chain. Ask again with `after` until `nextAfter` is null. */
export const auditVerificationSchema = z
  .strictObject({
    intact: z.boolean().describe("No fault in this part"),
    checkedSeals: z.int(),
    unsealedEvents: z.int().describe("Stored and not sealed yet; known at the end of the chain"),
    checkedEvents: z.int(),
    faults: z.array(auditFaultSchema).describe("At most 100"),
    nextAfter: z.int().nullable(),
    head: z
      .strictObject({ id: z.int(), digest: z.string() })
      .nullable()
      .describe("The last seal of this part; at the end of the chain keep its digest elsewhere"),
  })
  .meta({ id: "AuditVerification" });

export type AuditFilterQuery = z.input<typeof auditFilterSchema>;
export type AdminAuditEvent = z.infer<typeof auditEventSchema>;
export type AuditList = z.infer<typeof auditListSchema>;
export type AuditLink = z.infer<typeof auditLinkSchema>;
export type AuditVerification = z.infer<typeof auditVerificationSchema>;
