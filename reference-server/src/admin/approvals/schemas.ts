import { z } from "zod";
import { approvalStates } from "../../store/approvals.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const person = z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() });

/** An approval, without what only the person reads: the call's details. */
const approvalSchema = z
  .strictObject({
    id: z.uuid(),
    state: z.enum(approvalStates),
    person: person.describe("For whom the app acts"),
    client: z
      .strictObject({ id: z.string(), name: z.string().nullable() })
      .describe("The app; its name is `null` when it is gone"),
    resource: z
      .strictObject({ kind: z.enum(["service", "connector"]), key: z.string(), name: z.string() })
      .describe("The service or connector that is called"),
    type: z.string().describe("Of the authorization detail"),
    method: z.string(),
    approver: z
      .strictObject({ provider: z.string(), key: z.string() })
      .nullable()
      .describe("The group whose members answer; `null`: the person themselves"),
    createdAt: timestamp,
    expiresAt: timestamp.describe("Of a pending one for the answer, of an approved one for its collection"),
    decidedBy: person.nullable().describe("`null` without an answer, and when the approver is gone"),
    decidedAt: timestamp.nullable(),
    collectedAt: timestamp
      .nullable()
      .describe("When the token for the call was issued, or the call was sent through this server"),
  })
  .meta({ id: "Approval" });

export const approvalDetailSchema = z
  .strictObject({
    ...approvalSchema.shape,
    url: z.string(),
    detail: z
      .record(z.string(), z.unknown())
      .describe(
        "The authorization detail, as the service signed it; of type `authz:call`, a rule asks for a call through this server",
      ),
    reason: z.string().describe("In the words of the service, or of the rule; empty: the rule has none"),
    txn: z.string().describe("In the token, and in the events of the audit trail"),
    tokenId: z.string().nullable().describe("`jti` of the token; `null` of a call through this server"),
  })
  .meta({ id: "ApprovalDetail" });

export const approvalParamsSchema = z.strictObject({ id: z.uuid() });

/** `GET /approvals` */
export const approvalQuerySchema = listQuery({
  sorts: ["createdAt"],
  defaultSort: "-createdAt",
  filters: {
    state: z.enum(approvalStates).optional(),
    person: z.uuid().optional().describe("The id of a person"),
    client: z.string().max(2048).optional().describe("The id of an app"),
    resource: z.string().max(100).optional().describe("The key of a service"),
  },
});
export const approvalListSchema = listAnswer(approvalSchema);

export type AdminApproval = z.infer<typeof approvalSchema>;
export type AdminApprovalDetail = z.infer<typeof approvalDetailSchema>;
