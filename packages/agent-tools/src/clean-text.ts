import { cleanLine, cleanText, escapeInvisible } from "@authz/skills/invisible";

/** JSON for any reader: equal to the input, and without characters that a terminal would obey or hide. */
export function toSafeJson(value: unknown, indent?: number): string {
  return escapeInvisible(JSON.stringify(value, undefined, indent));
}

/** The same value as JSON has it, and every text in it, names included, without invisible characters. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [cleanLine(name), cleanJson(member)]));
}
