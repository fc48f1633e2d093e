import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { loadSkill } from "./show-skill.js";

/** @throws {AdminError} `not_found`, `version_conflict` */
export async function removeSkill(
  { id, version }: { readonly id: string; readonly version: number },
  { store, audit }: ChangeWork,
): Promise<void> {
  requireVersion(await loadSkill(store, id), version);
  await store.ownSkills.remove(id);
  await audit({ type: "skill.removed", data: { id } });
}
