import type { SkillError } from "@authz/skills";
import type { Message } from "../text/message.js";

/** What is wrong with a skill, behind the name of the member. */
export function skillFault({ fault, values }: SkillError): Message {
  return { key: `administration.skillFaults.${fault}`, values };
}

/** The place in a list of skills, as parts: `[2].tags[0]` is 2, "tags", 0. */
export function placeOf({ path }: SkillError): readonly (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\.(\w+)/g)].map(([, index, name]) => name ?? Number(index));
}
