import { parseSkills, type Skill, SkillError } from "@authz/skills";
import type { Store } from "../../store/store.js";
import { fieldError, invalidFields } from "../http/admin-error.js";
import type { AdminTexts } from "../texts/texts.js";
import type { AdminSkill } from "./schemas.js";

type WrittenSkill = Pick<
  AdminSkill,
  "id" | "title" | "description" | "tags" | "requiredScopes" | "visibility" | "content"
>;

/**
 * What somebody wrote, as a skill.
 *
 * @throws {AdminError} `invalid_request`, with the place in it
 */
export async function checkSkill(written: WrittenSkill, store: Pick<Store, "scopes">): Promise<Skill> {
  const skill = parse(written);
  const known = new Set((await store.scopes.findAll(skill.requiredScopes)).map(({ key }) => key));
  const faults = skill.requiredScopes.flatMap((scope, index) =>
    known.has(scope)
      ? []
      : [
          {
            path: `requiredScopes.${index}`,
            message: ({ fields }: AdminTexts) => fields.unknownScope(scope),
          },
        ],
  );
  if (faults.length > 0) throw invalidFields(faults);
  return skill;
}

function parse({ description, tags, ...skill }: WrittenSkill): Skill {
  try {
    const [parsed] = parseSkills([
      {
        ...skill,
        ...(description !== null && description.trim() !== "" && { description }),
        ...(tags.length > 0 && { tags }),
      },
    ]);
    if (parsed === undefined) throw new Error("A list of one skill has one skill.");
    return parsed;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const path = error.path.replace(/^\[0\]\.?/, "").replaceAll(/\[(\d+)\]/g, ".$1");
    const message = error.message.replace(`${error.path} `, "").replace(/\.$/, "");
    throw fieldError(path, ({ below }) => below(message));
  }
}
