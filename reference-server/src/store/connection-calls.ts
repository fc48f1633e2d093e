import type { AuditRow } from "./audit-events.js";

/** A request that is being sent to a third party. */
export interface ConnectionCall {
  readonly id: string;
  readonly connectionId: string;
  /** Key of the connector. */
  readonly connector: string;
  readonly userId: string;
  readonly clientId: string | null;
  /** The id of the HTTP request, as in the log. */
  readonly requestId: string | null;
  readonly method: string;
  readonly host: string;
  readonly pathTemplate: string;
  readonly startedAt: Date;
  /** No process is at it any more after that. */
  readonly endsBefore: Date;
}

export interface ConnectionCallStore {
  /**
   * Notes a request before anything of it is sent, and that the connection is used. `false`, and nothing may be sent,
   * when the connection is not connected any more or its connector is disabled.
   */
  begin(call: ConnectionCall): Promise<boolean>;
  /** Ends a call with its audit event, in one statement. Returns whether this call is the one that ended it. */
  end(id: string, event: AuditRow): Promise<boolean>;
  /** Calls that lost their process, the oldest first. */
  orphaned(batch: { readonly now: Date; readonly limit: number }): Promise<readonly ConnectionCall[]>;
}
