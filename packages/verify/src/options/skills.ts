import { parseSkills, type Skill, SkillError } from "@authz/skills";
import type { FixedSkills, LoadedSkills } from "./skills-options.js";

/** Where the catalog comes from, checked. */
export type SkillSource =
  | { readonly kind: "items"; readonly items: readonly Skill[]; readonly agentSkillsIndex: boolean }
  | { readonly kind: "load"; readonly load: LoadedSkills["load"] };

const members = new Set(["items", "load", "agentSkillsIndex"]);

/**
 * Checks the `skills` option.
 *
 * @throws {TypeError} The message names the option, and the skill when one of them is wrong.
 */
export function checkSkills(value: unknown): SkillSource | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError("skills must be an object: { items: [...] } or { load: async () => [...] }.");
  }
  for (const name of Object.keys(value)) {
    if (!members.has(name)) {
      throw new TypeError(
        `skills has an unknown member "${name}". Known are items, load and agentSkillsIndex.`,
      );
    }
  }
  const { items, load, agentSkillsIndex } = value as Partial<FixedSkills & LoadedSkills>;
  if ((items === undefined) === (load === undefined)) {
    throw new TypeError("skills needs either items or load, and not both.");
  }
  if (agentSkillsIndex !== undefined && typeof agentSkillsIndex !== "boolean") {
    throw new TypeError("skills.agentSkillsIndex must be true or false.");
  }
  if (load !== undefined) return checkLoad(load, agentSkillsIndex);
  const parsed = checkItems(items);
  if (agentSkillsIndex === true) checkIndexNames(parsed);
  return Object.freeze({ kind: "items", items: parsed, agentSkillsIndex: agentSkillsIndex ?? false });
}

function checkLoad(load: unknown, agentSkillsIndex: boolean | undefined): SkillSource {
  if (typeof load !== "function")
    throw new TypeError("skills.load must be a function that returns the skills.");
  if (agentSkillsIndex === true) {
    throw new TypeError(
      "skills.agentSkillsIndex needs skills.items, because its addresses are mounted at start.",
    );
  }
  return Object.freeze({ kind: "load", load: load as LoadedSkills["load"] });
}

function checkItems(items: unknown): readonly Skill[] {
  try {
    return parseSkills(items);
  } catch (cause) {
    if (!(cause instanceof SkillError)) throw cause;
    throw new TypeError(`skills.items is not a valid catalog. ${cause.message}`, { cause });
  }
}

/** The index has a narrower rule for names than the catalog has for ids. */
function checkIndexNames(items: readonly Skill[]): void {
  for (const { id } of items.filter(({ visibility }) => visibility === "DEFAULT")) {
    if (id.length > 64 || id.endsWith("-") || id.includes("--")) {
      throw new TypeError(
        `skills.items: the id "${id}" cannot be published with agentSkillsIndex. Use at most 64 characters, no trailing hyphen and no two hyphens in a row.`,
      );
    }
  }
}
