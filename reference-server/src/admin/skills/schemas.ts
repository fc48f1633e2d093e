import { z } from "zod";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

/** What an administrator writes: `@authz/skills` judges it, this only names the members. */
const skillFields = {
  title: z.string().describe("One line, at most 200 characters"),
  description: z
    .string()
    .nullable()
    .describe("What the skill is for and when to use it; at most 1024 characters"),
  tags: z.array(z.string()).max(20),
  requiredScopes: z.array(z.string()).max(100),
  visibility: z.enum(["DEFAULT", "HIDDEN_IF_UNALLOWED"]),
  content: z.string().describe("Markdown, at most 1 MiB of JSON for the whole skill"),
  published: z.boolean().describe("false: a draft, which no agent sees"),
};

/** `POST /skills` */
export const createSkillSchema = z.strictObject({
  id: z.string().describe("a-z, 0-9 and hyphens; agents see it as installation.{id}"),
  ...skillFields,
  description: skillFields.description.default(null),
  tags: skillFields.tags.default([]),
  visibility: skillFields.visibility.default("DEFAULT"),
  published: skillFields.published.default(true),
});

/** `PATCH /skills/{id}`: what is absent stays as it is. */
export const updateSkillSchema = z.strictObject(skillFields).partial();

/** `GET /skills` */
export const skillQuerySchema = listQuery({ sorts: ["title", "id", "updatedAt"], filters: {} });

export const skillParamsSchema = z.strictObject({ id: z.string().max(100) });

/** A skill in the list. */
export const skillSummarySchema = z
  .strictObject({
    id: z.string(),
    publishedId: z.string().describe("The id that agents see"),
    title: z.string(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    requiredScopes: z.array(z.string()),
    visibility: z.enum(["DEFAULT", "HIDDEN_IF_UNALLOWED"]),
    published: z.boolean().describe("false: a draft, which no agent sees"),
    version: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "SkillSummary" });

/** A skill with its Markdown. */
export const skillSchema = skillSummarySchema.extend({ content: z.string() }).meta({ id: "Skill" });

/** A group that has one of the scopes that the skill asks for, and whose members only its directory knows. */
const uncountedGroupSchema = z.strictObject({
  provider: z.string(),
  key: z.string(),
  name: z.string(),
});

export const skillListSchema = listAnswer(skillSummarySchema);

/** `GET /skills/{id}/audience`; `q` is looked for in addresses and names. */
export const audienceQuerySchema = listQuery({ sorts: ["email"], filters: {} });

const audienceMemberSchema = z.strictObject({
  id: z.uuid().nullable().describe("null: has never signed in with this address"),
  email: z.string(),
  name: z.string().nullable(),
});

/** Who can see the skill now, or could if it were published. */
export const audienceSchema = listAnswer(audienceMemberSchema)
  .extend({
    people: z
      .int()
      .describe(
        "Everybody whose permissions the database knows, whatever `q` says; of a draft: who would see it",
      ),
    scopes: z
      .array(z.string())
      .describe("What somebody needs to see it: authz:login, and the required scopes of a hidden skill"),
    groups: z
      .array(uncountedGroupSchema)
      .describe("Groups of directories: their members are not among the people counted"),
  })
  .meta({ id: "SkillAudience" });

/** `GET /skills/{id}/reading` */
export const skillReadingSchema = z
  .strictObject({ text: z.string().describe("The SKILL.md that an agent reads, front matter included") })
  .meta({ id: "SkillReading" });
export type SkillReading = z.infer<typeof skillReadingSchema>;

export type CreateSkill = z.input<typeof createSkillSchema>;
export type SkillSummary = z.infer<typeof skillSummarySchema>;
export type AdminSkill = z.infer<typeof skillSchema>;
export type SkillAudience = z.infer<typeof audienceSchema>;
