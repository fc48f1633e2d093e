import type { AuditRecord } from "../store/audit-events.js";

/**
 * One event as one line, always the same for the same row: what an export contains and what a seal covers.
 *
 * The JSON Canonicalization Scheme (RFC 8785): members sorted by their UTF-16 code units, no white space.
 */
export function auditLine(record: AuditRecord): string {
  return canonicalJson(record);
}

/** @see {@link https://www.rfc-editor.org/rfc/rfc8785 | RFC 8785} */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
