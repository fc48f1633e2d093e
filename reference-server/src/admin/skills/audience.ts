import type { Skill } from "@authz/skills";
import { loginScope } from "../../store/system-scopes.js";
import type { Store } from "../../store/store.js";
import type { ChangeReach } from "../door/call.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";
import type { AdminSkill, SkillAudience } from "./schemas.js";

/** What somebody needs to see a skill. Without authz:login nobody reads any. */
function audienceScopes({
  visibility,
  requiredScopes,
}: Pick<Skill, "visibility" | "requiredScopes">): readonly string[] {
  return [...new Set([loginScope, ...(visibility === "DEFAULT" ? [] : requiredScopes)])];
}

/** Who can see a skill now, one page of them, and how many there are. */
export async function loadAudience(
  skill: AdminSkill,
  {
    query,
    store,
    now,
  }: {
    readonly query: Parameters<typeof toPageRequest<"email">>[0];
    readonly store: Pick<Store, "skillAudience" | "permissionHolders">;
    readonly now: Date;
  },
): Promise<SkillAudience> {
  const scopes = audienceScopes(skill);
  const [people, groups, page] = await Promise.all([
    store.skillAudience.count({ scopes, now }),
    store.permissionHolders.listUncountedGroups(scopes),
    store.skillAudience.listPage({ ...toPageRequest(query), scopes, now }),
  ]);
  const named = new Map(
    groups.map(({ provider, key, name }) => [`${provider} ${key}`, { provider, key, name }]),
  );
  return {
    ...fromPage(page, { query, show: (member) => member }),
    people,
    scopes: [...scopes],
    groups: [...named.values()],
  };
}

/** Says in a preview how many people see a skill before and after a change. */
export function audienceReach(id: string, now: Date): ChangeReach {
  let before: number | undefined;
  return {
    scopes: async (store) => {
      before = await countAudience(id, store, now);
      return [];
    },
    notes: async (store) => [describeAudiences(before, await countAudience(id, store, now))],
  };
}

async function countAudience(
  id: string,
  store: Pick<Store, "ownSkills" | "skillAudience">,
  now: Date,
): Promise<number | undefined> {
  const skill = await store.ownSkills.find(id);
  return skill && (await store.skillAudience.count({ scopes: audienceScopes(skill), now }));
}

function describeAudiences(before: number | undefined, after: number | undefined): Message {
  if (after === undefined) return note("audienceGone", { before: before ?? 0 });
  if (before === undefined) return note("audienceNew", { after });
  if (before === after) return note("audienceSame", { after });
  return note("audienceOther", { after, before });
}
