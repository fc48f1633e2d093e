import { AdminError } from "./admin-error.js";

/** The `ETag` of an object. */
export function formatVersion(version: number): string {
  return `"${version}"`;
}

/** @throws {AdminError} `If-Match` is absent, or not one version of ours. */
export function parseIfMatch(header: string | undefined): number {
  if (header === undefined) {
    throw new AdminError("precondition_required", ({ refusals }) => refusals.noIfMatch);
  }
  const [, digits] = /^"(\d{1,9})"$/.exec(header) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new AdminError("invalid_request", ({ refusals }) => refusals.badIfMatch);
}

/**
 * Lets a change pass only when it was made from what is stored now.
 *
 * @param current - the stored object in the form in which the API shows it
 * @throws {AdminError} Somebody else has changed it; the answer carries it as it is now.
 */
export function requireVersion(current: { readonly version: number }, seen: number): void {
  if (current.version === seen) return;
  throw new AdminError("version_conflict", ({ refusals }) => refusals.outdated, { current });
}
