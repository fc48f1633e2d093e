import type { Skill } from "@authz/skills";
import type { StoredSkill } from "../../store/own-skills.js";
import { loginScope } from "../../store/system-scopes.js";
import type { Store } from "../../store/store.js";
import type { ChangeReach } from "../door/call.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";
import type { SkillAudience } from "./schemas.js";

/** The scopes that seeing a skill takes. Reading any takes authz:login. */
function audienceScopes({
  visibility,
  requiredScopes,
}: Pick<Skill, "visibility" | "requiredScopes">): readonly string[] {
  return [...new Set([loginScope, ...(visibility === "DEFAULT" ? [] : requiredScopes)])];
}

/** Who can see a skill now, or could if it were published: one page of them, and how many there are. */
export async function loadAudience(
  { skill }: StoredSkill,
  {
    query,
    store,
    now,
  }: {
    readonly query: Parameters<typeof toPageRequest<"email">>[0];
    readonly store: Pick<Store, "accessLists" | "permissionHolders">;
    readonly now: Date;
  },
): Promise<SkillAudience> {
  const scopes = audienceScopes(skill);
  const [people, groups, page] = await Promise.all([
    store.accessLists.count({ scopes, match: "every", now }),
    store.permissionHolders.listUncountedGroups(scopes),
    store.accessLists.listPage({ ...toPageRequest(query), scopes, match: "every", now }),
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

/** Who sees a skill: of a draft, who would. */
interface Audience {
  readonly published: boolean;
  readonly people: number;
}

/** Says in a preview how many people see a skill before and after a change. */
export function audienceReach(id: string, now: Date): ChangeReach {
  let before: Audience | undefined;
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
  store: Pick<Store, "ownSkills" | "accessLists">,
  now: Date,
): Promise<Audience | undefined> {
  const found = await store.ownSkills.findStored(id);
  if (found === undefined) return undefined;
  const scopes = audienceScopes(found.skill);
  return {
    published: found.published,
    people: await store.accessLists.count({ scopes, match: "every", now }),
  };
}

function describeAudiences(before: Audience | undefined, after: Audience | undefined): Message {
  const seenBefore = before?.published === true ? before.people : undefined;
  const seenAfter = after?.published === true ? after.people : undefined;
  if (seenBefore === undefined && seenAfter === undefined) {
    return after === undefined ? note("draftGone", {}) : note("draft", { after: after.people });
  }
  if (seenAfter === undefined) return note("audienceGone", { before: seenBefore ?? 0 });
  if (seenBefore === undefined) return note("audienceNew", { after: seenAfter });
  if (seenBefore === seenAfter) return note("audienceSame", { after: seenAfter });
  return note("audienceOther", { after: seenAfter, before: seenBefore });
}
