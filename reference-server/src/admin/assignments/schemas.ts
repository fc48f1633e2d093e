import { z } from "zod";
import { email, groupName, key, moment, scopeKey } from "../../objects/fields.js";
import { issue } from "../../objects/check.js";
import { allQuery, manyIds } from "../door/all-ids.js";
import { groupFilter, listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

/** One rule: this address, or this group, has this scope. */
export const assignmentSchema = z
  .strictObject({
    id: z.uuid(),
    email: z.string().nullable(),
    person: z
      .strictObject({ id: z.uuid(), name: z.string().nullable(), enabled: z.boolean() })
      .nullable()
      .describe("Who has the address; `null` when nobody has signed in with it"),
    group: z
      .strictObject({ provider: z.string(), providerName: z.string(), key: z.string() })
      .nullable()
      .describe("Instead of an address"),
    scope: z.string(),
    createdAt: timestamp,
    expiresAt: timestamp.nullable().describe("From then on it counts nowhere; `null`: it is for good"),
    decidable: z
      .boolean()
      .describe("Whether whoever asks may take it away: nobody takes their own away but administrators"),
    version: z.int().describe("An assignment never changes: always 1"),
  })
  .meta({ id: "Assignment" });

/** A scope and its assignee. */
export const newAssignmentSchema = z
  .strictObject({
    email: email.optional(),
    group: z
      .strictObject({ provider: key.describe("The key of the group provider"), key: groupName })
      .optional(),
    scope: scopeKey,
    expiresAt: moment.optional().describe("Until when it counts; absent: for good"),
  })
  .refine((item) => (item.email === undefined) !== (item.group === undefined), issue("emailOrGroup"));

/** `POST /assignments/bulk` */
export const bulkAssignmentsSchema = z
  .strictObject({
    create: z.array(newAssignmentSchema).max(1000).default([]),
    remove: manyIds.default([]),
  })
  .refine(({ create, remove }) => create.length + remove.length > 0, issue("noChange"));

export const bulkResultSchema = z
  .strictObject({
    created: z.array(assignmentSchema),
    removed: z.array(z.uuid()),
    unchanged: z.int().describe("What was there before, and what was gone before"),
  })
  .meta({ id: "BulkAssignmentsResult" });

export const assignmentParamsSchema = z.strictObject({ id: z.uuid() });

const filters = { email: email.optional(), scope: scopeKey.optional(), group: groupFilter };

/** `GET /assignments` */
export const assignmentQuerySchema = listQuery({ sorts: ["assignee", "scope", "createdAt"], filters });

/** `GET /assignments/ids` */
export const allAssignmentsSchema = allQuery(filters);

export const assignmentListSchema = listAnswer(assignmentSchema);

export type Assignment = z.infer<typeof assignmentSchema>;
export type NewAssignment = z.input<typeof newAssignmentSchema>;
export type BulkAssignmentsResult = z.infer<typeof bulkResultSchema>;
