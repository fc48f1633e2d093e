/** No provider's list is longer; what is beyond is not taken. */
const maximumGroups = 1000;
const groupName = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

/** Whether a text can be the name of a group. */
export function isGroupName(value: unknown): value is string {
  return typeof value === "string" && groupName.test(value);
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
