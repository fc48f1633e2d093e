import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { SkillError, type SkillFault } from "./skill-error.js";

/** What a string has to be, besides not empty. */
export interface StringRule {
  readonly maximum: number;
  readonly matches: (value: string) => boolean;
  /** The message of the error when it does not match. */
  readonly rule: string;
  /** The same as a code, for messages in other words. */
  readonly fault: SkillFault;
}

/** How long a list may be, and how each of its items is read. */
export interface ListRule<Item> {
  readonly maximum: number;
  readonly read: (item: unknown, path: string) => Item;
}

/** Reads an object at a place in the catalog. Its members are not read yet. */
export function readObject(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw new SkillError(path, "must be an object.", { fault: "object" });
  return value;
}

/** @throws {SkillError} `unknownMember` */
export function requireKnownMembers(
  value: JsonObject,
  path: string,
  members: Readonly<Record<string, true>>,
): void {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
  if (unknown === undefined) return;
  const known = Object.keys(members).join(", ");
  const fault = { fault: "unknownMember", member: unknown, known } as const;
  throw new SkillError(path, `has an unknown member "${unknown}". Known names: ${known}.`, fault);
}

/** Reads a string at a place in the catalog. */
export function readString(
  value: unknown,
  path: string,
  { maximum, matches, rule, fault }: StringRule,
): string {
  if (value === undefined) throw new SkillError(path, "is missing.", { fault: "missing" });
  if (typeof value !== "string") throw new SkillError(path, "must be a string.", { fault: "string" });
  if (value.length === 0) throw new SkillError(path, "must not be empty.", { fault: "notEmpty" });
  if (value.length > maximum) {
    const tooLong = { fault: "characters", most: maximum } as const;
    throw new SkillError(path, `must have at most ${maximum} characters.`, tooLong);
  }
  if (!matches(value)) throw new SkillError(path, rule, { fault });
  return value;
}

/** Reads a list at a place in the catalog, frozen. */
export function readList<Item>(
  value: unknown,
  path: string,
  { maximum, read }: ListRule<Item>,
): readonly Item[] {
  if (value === undefined) throw new SkillError(path, "is missing.", { fault: "missing" });
  if (!Array.isArray(value)) throw new SkillError(path, "must be a list.", { fault: "list" });
  if (value.length > maximum) {
    const tooMany = { fault: "items", most: maximum } as const;
    throw new SkillError(path, `must have at most ${maximum} items.`, tooMany);
  }
  return Object.freeze(Array.from(value, (item: unknown, index) => read(item, `${path}[${index}]`)));
}
