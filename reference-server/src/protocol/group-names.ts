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

/** Whether a provider says that it has the person's groups and does not name them, because they are too many for a claim. */
export function hasGroupOverage({
  groups,
  hasgroups,
  _claim_names: elsewhere,
}: {
  readonly groups?: unknown;
  readonly hasgroups?: unknown;
  readonly _claim_names?: unknown;
}): boolean {
  if (groups !== undefined) return false;
  const isElsewhere =
    typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, "groups");
  return isElsewhere || hasgroups === true || hasgroups === "true";
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
