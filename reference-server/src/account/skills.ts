import { paths } from "../protocol/vocabulary.js";
import type { SkillsSection } from "../pages/skills-section.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import { listVisibleSkills } from "../skills/visible-skills.js";
import type { Store } from "../store/store.js";

/** Nobody reads through more; the command line searches. */
const maximumSkills = 200;

/** The skills that a person may see, by publisher. */
export async function loadSkillsSection(
  permissions: Permissions,
  {
    store,
    installationName,
    now,
  }: {
    readonly store: Pick<Store, "ownSkills" | "resources" | "settings" | "skillCatalogs">;
    readonly installationName: string;
    readonly now: Date;
  },
): Promise<SkillsSection> {
  const { instructions } = await store.settings.get();
  const { skills, gaps } = await listVisibleSkills(store, permissions, now);
  const shown = skills.slice(0, maximumSkills);
  const publishers = [...new Set(shown.map(({ publisher }) => publisher))].map((publisher) => {
    const published = shown.filter((skill) => skill.publisher === publisher);
    return {
      name: published[0]?.publisherName ?? installationName,
      skills: published.map(({ id, skill, lacks }) => ({
        title: skill.title,
        href: `${paths.skills}/${id}`,
        description: skill.description,
        lacks,
      })),
    };
  });
  return {
    instructions: instructions ?? undefined,
    gaps: gaps.map(({ publisherName = installationName, state, fetchedAt }) => ({
      publisher: publisherName,
      state,
      fetchedAt,
    })),
    publishers,
    moreSkills: skills.length - shown.length,
  };
}
