import { parseSkills, type Skill, SkillError } from "@authz/skills";
import type { z } from "zod";
import { changedFields } from "../../registry/apply/changed-fields.js";
import { maximumOwnSkills } from "../../skills/visible-skills.js";
import type { Store } from "../../store/store.js";
import { alreadyExists, fieldError, inUse, invalidFields } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import type { AdminTexts } from "../texts/texts.js";
import type { AdminSkill, createSkillSchema, updateSkillSchema } from "./schemas.js";
import { describeSkill, loadSkill } from "./show-skill.js";

/** @throws {AdminError} `invalid_request`, `already_exists`, `in_use` when there are as many as there can be */
export async function createSkill(
  written: z.output<typeof createSkillSchema>,
  { store, at, audit }: ChangeWork,
): Promise<AdminSkill> {
  const skill = await checkSkill(written, store);
  const { id } = skill;
  if ((await store.ownSkills.find(id)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.skill(id), "id");
  }
  if ((await store.ownSkills.count()) >= maximumOwnSkills) {
    throw inUse(({ refusals }) => refusals.full.skills(maximumOwnSkills));
  }
  await store.ownSkills.save(skill, at);
  await audit({ type: "skill.created", data: { id } });
  return await loadSkill(store, id);
}

/** @throws {AdminError} `not_found`, `version_conflict`, `invalid_request` */
export async function updateSkill(
  {
    id,
    change,
    version,
  }: { readonly id: string; readonly change: z.output<typeof updateSkillSchema>; readonly version: number },
  { store, at, audit }: ChangeWork,
): Promise<AdminSkill> {
  const found = await loadSkill(store, id);
  requireVersion(found, version);
  const { title, description, tags, requiredScopes, visibility, content } = found;
  const before = { id, title, description, tags, requiredScopes, visibility, content };
  // An absent member is absent in JSON, never undefined: what is there replaces what was.
  const skill = await checkSkill({ ...before, ...(change as Partial<WrittenSkill>) }, store);
  const fields = changedFields(before, { ...describeSkill(skill), content: skill.content });
  if (fields.length === 0) return found;
  await store.ownSkills.save(skill, at);
  await audit({ type: "skill.changed", data: { id, fields } });
  return await loadSkill(store, id);
}

/** @throws {AdminError} `not_found`, `version_conflict` */
export async function removeSkill(
  { id, version }: { readonly id: string; readonly version: number },
  { store, audit }: ChangeWork,
): Promise<void> {
  requireVersion(await loadSkill(store, id), version);
  await store.ownSkills.remove(id);
  await audit({ type: "skill.removed", data: { id } });
}

type WrittenSkill = Pick<
  AdminSkill,
  "id" | "title" | "description" | "tags" | "requiredScopes" | "visibility" | "content"
>;

/**
 * What somebody wrote, as a skill.
 *
 * @throws {AdminError} `invalid_request`, with the place in it
 */
async function checkSkill(written: WrittenSkill, store: Pick<Store, "scopes">): Promise<Skill> {
  const skill = parse(written);
  const known = new Set((await store.scopes.findAll(skill.requiredScopes)).map(({ key }) => key));
  const faults = skill.requiredScopes.flatMap((scope, index) =>
    known.has(scope)
      ? []
      : [
          {
            path: `requiredScopes.${index}`,
            message: ({ fields }: AdminTexts) => fields.unknownScope(scope),
          },
        ],
  );
  if (faults.length > 0) throw invalidFields(faults);
  return skill;
}

function parse({ description, tags, ...skill }: WrittenSkill): Skill {
  try {
    const [parsed] = parseSkills([
      {
        ...skill,
        ...(description !== null && description.trim() !== "" && { description }),
        ...(tags.length > 0 && { tags }),
      },
    ]);
    if (parsed === undefined) throw new Error("A list of one skill has one skill.");
    return parsed;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const path = error.path.replace(/^\[0\]\.?/, "").replaceAll(/\[(\d+)\]/g, ".$1");
    const message = error.message.replace(`${error.path} `, "").replace(/\.$/, "");
    throw fieldError(path, ({ below }) => below(message));
  }
}
