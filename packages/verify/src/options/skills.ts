import { isJsonObject } from "@authz/dpop/jws";
// Loaded even without skills: initAuthz refuses a wrong catalog synchronously, and this costs about 2 ms of CPU.
import { parseSkills, type Skill, SkillError } from "@authz/skills";
import { requireKnownMembers } from "../known-members.js";
import type { FixedSkills, LoadedSkills } from "./options.js";

/** The checked source of the catalog. */
export interface SkillSource {
  /** @throws {SkillError} The loaded catalog is not valid. */
  readonly load: () => Promise<readonly Skill[]>;
  /** Whether the public part is also published as an Agent Skills index. */
  readonly agentSkillsIndex: boolean;
}

/**
 * Checks the `skills` option.
 *
 * @throws {TypeError} The message names the option, and the skill when one of them is wrong.
 */
export function checkSkills(value: unknown): SkillSource | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    throw new TypeError("skills must be an object: { items: [...] } or { load: async () => [...] }.");
  }
  requireKnownMembers("skills", value, ["items", "load", "agentSkillsIndex"]);
  const { items, load, agentSkillsIndex } = value as Partial<FixedSkills & LoadedSkills>;
  if ((items === undefined) === (load === undefined)) {
    throw new TypeError("skills needs either items or load, not both.");
  }
  if (agentSkillsIndex !== undefined && typeof agentSkillsIndex !== "boolean") {
    throw new TypeError("skills.agentSkillsIndex must be true or false.");
  }
  const read = agentSkillsIndex === true ? parseIndexedSkills : parseSkills;
  const source = load === undefined ? fixedSource(items, read) : loadedSource(load, read);
  return Object.freeze({ load: source, agentSkillsIndex: agentSkillsIndex ?? false });
}

type ReadSkills = (value: unknown) => readonly Skill[];

function fixedSource(items: unknown, read: ReadSkills): SkillSource["load"] {
  try {
    const skills = read(items);
    return () => Promise.resolve(skills);
  } catch (cause) {
    if (!(cause instanceof SkillError)) throw cause;
    throw new TypeError(`skills.items is not a valid catalog. ${cause.message}`, { cause });
  }
}

function loadedSource(load: unknown, read: ReadSkills): SkillSource["load"] {
  if (typeof load !== "function")
    throw new TypeError("skills.load must be a function that returns the skills.");
  return async () => read(await (load as LoadedSkills["load"])());
}

/** Names in the index are more restricted than ids in the catalog. */
function parseIndexedSkills(value: unknown): readonly Skill[] {
  const skills = parseSkills(value);
  for (const [index, { id, visibility }] of skills.entries()) {
    const fits = id.length <= 64 && !id.endsWith("-") && !id.includes("--");
    if (visibility === "DEFAULT" && !fits) {
      throw new SkillError(
        `[${index}].id`,
        `is "${id}", which agentSkillsIndex cannot publish. Use at most 64 characters, no trailing hyphen and no two hyphens in a row.`,
        { fault: "skillId" },
      );
    }
  }
  return skills;
}
