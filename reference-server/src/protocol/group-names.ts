import { isVisibleText } from "../text/short-text.js";

/** Further groups of a claim are ignored. */
const maximumGroups = 1000;
const groupText = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

/** Whether a directory may send this text as a name. */
export function isGroupText(value: unknown): value is string {
  return typeof value === "string" && groupText.test(value);
}

/** Whether this can be the name of a group. Names are compared, so one with invisible characters is ignored and not cleaned. */
export function isGroupName(value: unknown): value is string {
  return isGroupText(value) && isVisibleText(value);
}

/**
 * The groups in a `groups` claim; none if it is missing or malformed.
 *
 * Providers that leave the claim out for people with very many groups therefore give them no permission.
 */
export function parseGroupsClaim(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return [...new Set(values.filter(isGroupName))].slice(0, maximumGroups);
}
