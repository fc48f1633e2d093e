import type { AuditRecord } from "../store/audit-events.js";

/**
 * One event as one line, always the same for the same row: what an export contains and what a seal covers.
 *
 * The JSON Canonicalization Scheme (RFC 8785): members sorted by their UTF-16 code units, no white space.
 */
export function auditLine(record: AuditRecord): string {
  return canonicalJson(record);
}

/**
 * Runs three times per event, when it is recorded and when it is sealed.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8785 | RFC 8785}
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  let members = "";
  // The order of `sort` is that of UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    if (members !== "") members += ",";
    members += `${JSON.stringify(name)}:${canonicalJson((value as Readonly<Record<string, unknown>>)[name])}`;
  }
  return `{${members}}`;
}
