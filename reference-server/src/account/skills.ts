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
  }: {
    readonly store: Pick<Store, "ownSkills" | "resources" | "skillCatalogs">;
    readonly installationName: string;
  },
): Promise<SkillsSection> {
  const skills = await listVisibleSkills(store, permissions);
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
  return { publishers, moreSkills: skills.length - shown.length };
}
