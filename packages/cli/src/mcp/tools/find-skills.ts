import type { SkillSummary } from "@authz/client";

/** Finds skills by words. Every word must occur; words in the title count most, then id and tags, then the description. */
export function findSkills(skills: readonly SkillSummary[], query: string): readonly SkillSummary[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return skills
    .map((skill) => ({ skill, score: score(skill, words) }))
    .filter((found) => found.score > 0)
    .sort((a, b) => b.score - a.score || a.skill.id.localeCompare(b.skill.id))
    .map(({ skill }) => skill);
}

function score({ id, title, tags, description = "" }: SkillSummary, words: readonly string[]): number {
  let total = 0;
  for (const word of words) {
    let points = 0;
    if (fold(title).includes(word)) points += 4;
    if (fold(`${id} ${tags.join(" ")}`).includes(word)) points += 2;
    if (fold(description).includes(word)) points += 1;
    if (points === 0) return 0;
    total += points;
  }
  return total;
}

/** Small letters without accents, so that "vertrage" finds "Verträge". */
function fold(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}
