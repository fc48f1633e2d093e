import { escapeInvisible } from "@authz/skills/invisible";

/** An untrusted value as JSON that is safe to print: invisible characters are escaped. `nothing` when it is undefined. */
export function printableJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value) ?? "nothing");
}
