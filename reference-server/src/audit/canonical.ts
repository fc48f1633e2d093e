import { canonicalJson } from "@authz/dpop/jws";
import type { AuditRecord } from "../store/audit-events.js";

/** One event as one line, always the same for the same row: what an export contains and what a seal covers. */
export function auditLine(record: AuditRecord): string {
  return canonicalJson(record);
}
