// By hand, and not with a schema library: loading one would take every service longer than loading the whole SDK.
import { SkillError, type SkillFault } from "./skill-error.js";

const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;

/** What a text has to be, besides not empty. */
export interface TextRule {
  readonly maximum: number;
  readonly matches: (text: string) => boolean;
  /** What the error says when it does not match. */
  readonly rule: string;
  /** The same, for whoever says it in other words. */
  readonly fault: SkillFault;
}

/** How long a list may be, and how each of its items is read. */
export interface ListRule<Item> {
  readonly maximum: number;
  readonly read: (item: unknown, path: string) => Item;
}

/** Reads a text at a place in the catalog. */
export function readText(
  value: unknown,
  path: string,
  { maximum, matches, rule, fault: ruleFault }: TextRule,
): string {
  if (value === undefined) throw new SkillError(path, "is missing.", { fault: "missing" });
  if (typeof value !== "string") throw new SkillError(path, "must be a text.", { fault: "string" });
  if (value.length === 0) throw new SkillError(path, "must not be empty.", { fault: "notEmpty" });
  if (value.length > maximum) {
    const fault = { fault: "characters", most: maximum } as const;
    throw new SkillError(path, `must have at most ${maximum} characters.`, fault);
  }
  if (!matches(value)) throw new SkillError(path, rule, { fault: ruleFault });
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
    const fault = { fault: "items", most: maximum } as const;
    throw new SkillError(path, `must have at most ${maximum} items.`, fault);
  }
  return Object.freeze(Array.from(value, (item: unknown, index) => read(item, `${path}[${index}]`)));
}

/** Whether a text is one line without control characters. */
export function isLine(text: string): boolean {
  return oneLine.test(text);
}

/** Whether a value has members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
