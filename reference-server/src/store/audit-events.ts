/** One row of the append-only audit trail, before the database numbers it. */
export interface AuditRow {
  readonly at: Date;
  readonly type: string;
  readonly version: number;
  readonly outcome: "success" | "denied" | "failed";
  readonly actorType: "user" | "client" | "operator" | "system";
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly clientId: string | null;
  readonly requestId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface AuditEventStore {
  append(row: AuditRow): Promise<void>;
  /** Rows after `afterId`, oldest first. */
  list(page: { afterId?: string; limit: number }): Promise<readonly (AuditRow & { readonly id: string })[]>;
}
