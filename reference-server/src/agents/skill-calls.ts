import { type AgentCalls, describeGap, type Skill, type SkillGap, type SkillList } from "@authz/agent-tools";
import { gapDocument, installationDocument, skillDocument, skillsDocument } from "../account/me/documents.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { CatalogGap } from "../skills/catalog-gaps.js";
import {
  findGap,
  findVisibleFile,
  findVisibleSkill,
  listVisibleSkills,
  refuseUndecided,
} from "../skills/visible-skills.js";
import type { Store } from "../store/store.js";
import { AgentRefusal } from "./agent-refusal.js";

export interface SkillCallOptions {
  readonly store: Pick<Store, "ownSkills" | "resources" | "skillCatalogs" | "settings">;
  readonly permissions: Permissions;
  /** Counts a look at skills. @throws {RateLimitedError} */
  readonly take: () => Promise<void>;
  /** Told of each skill whose instructions are read. */
  readonly onSkillRead: (skillId: string) => void;
  readonly now: () => Date;
}

/** The skills that one person sees, through an agent. */
export function createSkillCalls(
  options: SkillCallOptions,
): Pick<AgentCalls, "skills" | "skill" | "skillFile"> {
  const { store, permissions, take, onSkillRead, now } = options;
  /** Why there is nothing with this id for the person. */
  const missing = async (id: string, what: string): Promise<AgentRefusal> => {
    await refuseUndecided(id, permissions, store);
    const gap = await findGap(id, store, now());
    const why = gap === undefined ? "Call find_skills." : describeGap(toGap(gap));
    return new AgentRefusal("not_found", `There is no ${what} among those you can see. ${why}`);
  };
  return {
    async skills(): Promise<SkillList> {
      await take();
      const [settings, visible] = await Promise.all([
        store.settings.get(),
        listVisibleSkills(store, permissions, now()),
      ]);
      const { items } = skillsDocument(visible, settings);
      const { name, instructions } = installationDocument(settings);
      return {
        items: items.map((item) => ({ description: undefined, ...item })),
        incomplete: visible.gaps.map(toGap),
        installation: { name, instructions },
      };
    },
    async skill(id): Promise<Skill> {
      await take();
      const visible = await findVisibleSkill(id, store, permissions);
      if (visible !== undefined) {
        onSkillRead(visible.id);
        return { description: undefined, ...skillDocument(visible) };
      }
      throw await missing(id, "skill with this id");
    },
    async skillFile(id, path): Promise<Uint8Array> {
      await take();
      const file = await findVisibleFile({ id, path }, store, permissions);
      if (file === undefined) throw await missing(id, "file with this path in a skill with this id");
      return file.bytes;
    },
  };
}

function toGap(gap: CatalogGap): SkillGap {
  const { resource, name = resource, state, fetchedAt } = gapDocument(gap);
  return { resource, name, state, fetchedAt };
}
