import { z } from "zod";

export const auditOutcomeSchema = z.enum(["success", "denied", "failed"]);

/** What both the list and the export take. Every condition must hold. */
export const auditFilterSchema = z.strictObject({
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: "Exclusive" }),
  type: z
    .union([z.string(), z.array(z.string()).max(50)])
    .optional()
    .meta({ description: "An event type; repeat it for several" }),
  outcome: auditOutcomeSchema.optional(),
  actor: z.string().max(256).optional().meta({ description: "The id or the e-mail address of who did it" }),
  subject: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "The id or the e-mail address of whom it is about" }),
  client: z.string().max(256).optional(),
  q: z.string().max(200).optional().meta({
    description: "Words, each of which an event must contain or contain as the beginning of a word",
  }),
});

export const auditPersonSchema = z.strictObject({
  id: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
});

export const auditActorSchema = z.strictObject({
  type: z.enum(["user", "client", "operator", "system"]),
  id: z.string().nullable(),
  email: z.string().nullable().meta({ description: "Of a person, as it is today" }),
  name: z.string().nullable().meta({ description: "Of a person or a client, as it is today" }),
});

/** An object that an event is about. Whether it still exists is not said. */
export const auditLinkSchema = z.strictObject({
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
    "session",
    "log-in",
    "settings",
  ]),
  id: z.string(),
});

export const auditEventSchema = z.strictObject({
  id: z.string(),
  at: z.string().meta({ description: "UTC with microseconds" }),
  type: z.string(),
  version: z.int(),
  outcome: auditOutcomeSchema,
  description: z.string().meta({ description: "What happened, as one English sentence" }),
  actor: auditActorSchema,
  subject: auditPersonSchema.nullable(),
  client: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  links: z.array(auditLinkSchema),
});

/** Events, newest first. */
export const auditListSchema = z.strictObject({
  items: z.array(auditEventSchema),
  nextCursor: z.string().nullable(),
  searchedThrough: z.iso
    .datetime()
    .nullable()
    .meta({ description: "With q: events up to here are found by their words; null when none are yet" }),
});

export const auditExportSchema = auditFilterSchema.extend({ format: z.enum(["csv", "ndjson"]) });

export const auditFaultSchema = z.strictObject({
  kind: z.enum([
    "seal_missing",
    "seal_changed",
    "seal_forged",
    "link_broken",
    "events_missing",
    "events_added",
    "events_changed",
  ]),
  text: z.string(),
  sealId: z.int(),
  firstEventId: z.string(),
  lastEventId: z.string(),
});

/** A part of the chain. Ask again with `after` until `nextAfter` is null. */
export const auditVerificationSchema = z.strictObject({
  intact: z.boolean().meta({ description: "No fault in this part" }),
  checkedSeals: z.int(),
  checkedEvents: z.int(),
  faults: z.array(auditFaultSchema).meta({ description: "At most 100" }),
  nextAfter: z.int().nullable(),
  head: z
    .strictObject({ id: z.int(), digest: z.string() })
    .nullable()
    .meta({ description: "The last seal of this part; at the end of the chain keep its digest elsewhere" }),
});

export type AuditFilterQuery = z.input<typeof auditFilterSchema>;
export type AdminAuditEvent = z.infer<typeof auditEventSchema>;
export type AuditList = z.infer<typeof auditListSchema>;
export type AuditLink = z.infer<typeof auditLinkSchema>;
export type AuditVerification = z.infer<typeof auditVerificationSchema>;
