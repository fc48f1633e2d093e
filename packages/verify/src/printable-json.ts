import { escapeInvisible } from "@authz/skills/invisible";

/** A value from elsewhere as JSON that is safe to print: what cannot be seen is escaped. `nothing` when there is none. */
export function printableJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value) ?? "nothing");
}
