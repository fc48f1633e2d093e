import { AdminRefusal } from "./refusals.js";

/** The `ETag` of an object. */
export function formatVersion(version: number): string {
  return `"${version}"`;
}

/** @throws {AdminRefusal} `If-Match` is absent, or not one version of ours. */
export function parseIfMatch(header: string | undefined): number {
  if (header === undefined) {
    throw new AdminRefusal("precondition_required", "noIfMatch");
  }
  const [, digits] = /^"(\d{1,9})"$/.exec(header) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new AdminRefusal("invalid_request", "badIfMatch");
}
