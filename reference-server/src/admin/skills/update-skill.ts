import type { z } from "zod";
import { changedFields } from "../../registry/work.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { checkSkill } from "./check-skill.js";
import type { AdminSkill, updateSkillSchema } from "./schemas.js";
import { describeSkill, loadSkill } from "./show-skill.js";

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
  const skill = await checkSkill({ ...before, ...withoutAbsent(change) }, store);
  const fields = changedFields(before, { ...describeSkill(skill), content: skill.content });
  if (fields.length === 0) return found;
  await store.ownSkills.save(skill, at);
  await audit({ type: "skill.changed", data: { id, fields } });
  return await loadSkill(store, id);
}

type Present<Record> = { [Member in keyof Record]?: Exclude<Record[Member], undefined> };

function withoutAbsent<Record extends object>(record: Record): Present<Record> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as Present<Record>;
}
