import { z } from "zod";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";
import { createSkillSchema, skillSchema, updateSkillSchema } from "../skills/schemas.js";

const actions = ["create", "change", "remove"] as const;

const proposalMembers = {
  id: z.uuid(),
  skill: z.string().describe("The id of the skill"),
  action: z.enum(actions),
  proposedBy: z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() }),
  proposedAt: timestamp,
  own: z.boolean().describe("Whoever asks proposed it, and may withdraw it"),
  decidable: z.boolean().describe("Whether whoever asks may decide it: a second person"),
  version: z.int(),
};

/** A change of a skill that waits for a second person. */
export const proposalSchema = z.strictObject(proposalMembers).meta({ id: "Proposal" });
export type Proposal = z.infer<typeof proposalSchema>;

const written = skillSchema
  .pick({
    title: true,
    description: true,
    tags: true,
    requiredScopes: true,
    visibility: true,
    content: true,
    published: true,
  })
  .meta({ id: "ProposedSkill" });

export const proposalDetailSchema = z
  .strictObject({
    ...proposalMembers,
    before: written.nullable().describe("The skill as it is now; `null`: there is none"),
    after: written.nullable().describe("The skill as it would be; `null`: removed"),
    outdated: z.boolean().describe("The skill has changed since: propose it again"),
  })
  .meta({ id: "ProposalDetail" });
export type ProposalDetail = z.infer<typeof proposalDetailSchema>;

export const proposalParamsSchema = z.strictObject({ id: z.uuid() });

/** `GET /proposals` */
export const proposalQuerySchema = listQuery({
  sorts: ["proposedAt"],
  defaultSort: "-proposedAt",
  filters: {},
});
export const proposalListSchema = listAnswer(proposalSchema);

const skillId = z.string().max(100);
const version = z.int().describe("Of the skill as it was seen");

/** `POST /proposals` */
export const newProposalSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("create"), skill: createSkillSchema }),
  z.strictObject({ action: z.literal("change"), id: skillId, version, change: updateSkillSchema }),
  z.strictObject({ action: z.literal("remove"), id: skillId, version }),
]);
