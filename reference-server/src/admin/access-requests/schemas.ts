import { z } from "zod";
import { readText } from "../../person/access-requests/ask.js";
import { moment, scopeKey } from "../../objects/fields.js";
import { issue } from "../../objects/check.js";
import { accessRequestStates, longestReason } from "../../store/access-requests.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";
import { explanationSchema } from "../explain/schemas.js";

/** An access request and its outcome. */
export const accessRequestSchema = z
  .strictObject({
    id: z.uuid(),
    person: z.strictObject({
      id: z.uuid(),
      email: z.string().nullable(),
      name: z.string().nullable(),
      enabled: z.boolean(),
    }),
    kind: z.enum(["service", "connector", "installation"]),
    target: z.string().describe("The key of the service or connector; `authz`: this installation itself"),
    targetName: z.string().nullable().describe("`null` when it is gone"),
    scopes: z.array(z.string()),
    reason: z.string().describe("In the person's own words"),
    clientId: z.string().nullable().describe("The app through which the person asked"),
    state: z.enum(accessRequestStates),
    grantedScopes: z.array(z.string()).describe("What an administrator granted of `scopes`"),
    expiresAt: timestamp.nullable().describe("Until when that is granted; `null`: for good"),
    note: z.string().nullable().describe("What the administrator wrote to the person"),
    decidedAt: timestamp.nullable(),
    createdAt: timestamp,
    decidable: z
      .boolean()
      .describe("Whether whoever asks may decide it: nobody but administrators decides about themselves"),
    version: z.int(),
  })
  .meta({ id: "AccessRequest" });

const holdersSchema = z
  .strictObject({
    scope: z.string(),
    people: z.array(z.strictObject({ email: z.string(), name: z.string().nullable() })),
    groups: z.array(z.strictObject({ provider: z.string(), key: z.string() })),
  })
  .meta({ id: "ScopeHolders" });

/** A request with what helps to decide. */
export const accessRequestDetailSchema = z
  .strictObject({
    ...accessRequestSchema.shape,
    explanation: explanationSchema
      .nullable()
      .describe("What the person may do now; `null` when person, service or permission is gone"),
    givable: z.array(z.string()).describe("What of it whoever asks may give"),
    holders: z.array(holdersSchema).describe("Who else has it by an assignment, at most ten of each kind"),
    calls: z
      .array(
        z.strictObject({
          at: z.string(),
          type: z.string(),
          outcome: z.string(),
          clientId: z.string().nullable(),
          method: z.string().nullable(),
          host: z.string().nullable(),
          path: z.string().nullable().describe("Without what identifies things"),
          status: z.int().nullable(),
        }),
      )
      .describe("What the person's apps called there lately, at most ten"),
  })
  .meta({ id: "AccessRequestDetail" });

export const accessRequestCountSchema = z
  .strictObject({ pending: z.int() })
  .meta({ id: "AccessRequestCount" });

export const accessRequestParamsSchema = z.strictObject({ id: z.uuid() });

/** `GET /access-requests` */
export const accessRequestQuerySchema = listQuery({
  sorts: ["createdAt"],
  defaultSort: "-createdAt",
  filters: { state: z.enum(accessRequestStates).optional() },
});
export const accessRequestListSchema = listAnswer(accessRequestSchema);

const duration = z
  .string()
  .regex(/^P(?:T[1-9]\d{0,2}H|[1-9]\d{0,2}D)$/, issue("duration").message)
  .describe("Hours or days (ISO 8601), such as `PT1H` or `P1D`");

/** `POST /access-requests/:id/approvals` */
export const approveSchema = z
  .strictObject({
    scopes: z.array(scopeKey).min(1).max(500).optional().describe("Absent: everything that was asked for"),
    until: moment.optional().describe("Absent, and without a duration: for good"),
    duration: duration.optional(),
  })
  .refine(({ until, duration: length }) => until === undefined || length === undefined, issue("oneEnd"));

/** `POST /access-requests/:id/declines` */
export const declineSchema = z.strictObject({
  note: z
    .string()
    .max(2000)
    .refine((text) => readText(text) !== undefined, issue("note", { most: longestReason }))
    .transform((text) => readText(text))
    .optional()
    .describe("Shown to whoever asked"),
});

export type AccessRequest = z.infer<typeof accessRequestSchema>;
export type AccessRequestDetail = z.infer<typeof accessRequestDetailSchema>;
export type AccessRequestCount = z.infer<typeof accessRequestCountSchema>;
