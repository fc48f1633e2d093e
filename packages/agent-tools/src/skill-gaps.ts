import type { SkillGap } from "./skill-list.js";

/** What is missing from a list of skills, or outdated in it, in one sentence. */
export function describeGap({ name, state, fetchedAt }: SkillGap): string {
  const skills = `skills of ${name}`;
  switch (state) {
    case "pending":
      return `The ${skills} are missing: they have not been fetched yet.`;
    case "failed":
      return `The ${skills} are missing: they could not be fetched.`;
    case "refused":
      return `The ${skills} are missing: what it published cannot be shown.`;
    case "undecided":
      return `Some ${skills} are missing: a group directory does not answer.`;
    case "stale":
      if (fetchedAt !== undefined)
        return `The ${skills} are from ${fetchedAt.slice(0, 16)}Z: newer ones could not be fetched.`;
      break;
    default:
      break;
  }
  return `The ${skills} may be missing or old (${state}).`;
}
