import { isVisibleText } from "../../text/short-text.js";

/** No provider's list is longer; what is beyond is not taken. */
const maximumGroups = 1000;
const groupText = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

/** Whether this is the text of a name, as a directory may send it. */
export function isGroupText(value: unknown): value is string {
  return typeof value === "string" && groupText.test(value);
}

/** Whether this can be the name of a group: names are compared, so one with anything invisible counts as none, rather than being mended. */
export function isGroupName(value: unknown): value is string {
  return isGroupText(value) && isVisibleText(value);
}

/**
 * The groups in a `groups` claim. A claim that is missing or says something else means none.
 *
 * Providers that leave the claim out for people with very many groups therefore give them no permission.
 */
export function parseGroupsClaim(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return [...new Set(values.filter(isGroupName))].slice(0, maximumGroups);
}
