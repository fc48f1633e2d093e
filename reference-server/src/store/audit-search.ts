import type { AuditFilter, AuditRecord } from "./audit-events.js";

/** How far the words and the counts of the audit trail go. */
export interface AuditIndexProgress {
  readonly throughEventId: string;
  /** When that event happened; `null` before the first. */
  readonly throughAt: Date | null;
}

/** What some sealed events add, all of it or nothing. */
export interface AuditIndexBatch {
  /** The progress that this batch continues. */
  readonly afterEventId: string;
  readonly throughEventId: string;
  readonly throughAt: Date;
  readonly words: readonly {
    readonly eventId: string;
    readonly at: string;
    readonly words: readonly string[];
  }[];
  readonly counts: readonly AuditCount[];
  /** What was issued for a resource identifier on one day. */
  readonly resources: readonly { readonly day: string; readonly resource: string; readonly count: number }[];
}

/** Events of one type with one outcome in one hour. */
export interface AuditCount {
  readonly hour: Date;
  readonly type: string;
  readonly outcome: string;
  readonly count: number;
}

/** Issued and refused in one hour or one day. */
export interface IssuanceCount {
  readonly at: Date;
  readonly issued: number;
  readonly denied: number;
}

/** What somebody or something that appears in an event is called now. */
export interface AuditName {
  /** Of a resource, its identifier; of a provider, its key. */
  readonly id: string;
  readonly type: "user" | "client" | "resource" | "identity-provider" | "group-provider";
  /** Of a resource or a provider. */
  readonly key: string | null;
  readonly email: string | null;
  readonly name: string | null;
}

export interface AuditSearchStore {
  progress(): Promise<AuditIndexProgress>;
  /** Call it inside a transaction. @throws Error when another process has indexed these events. */
  add(batch: AuditIndexBatch): Promise<void>;
  /** The people, clients and resources among these ids and resource identifiers, and the providers with these keys. */
  findNames(ids: readonly string[], providerKeys?: readonly string[]): Promise<readonly AuditName[]>;
  /**
   * Events that match the filter, newest first: the search of `auditEvents` for filters that no single index serves. Each
   * of the terms is the beginning of a word; with terms, only events that are indexed are found.
   */
  find(
    search: AuditFilter & {
      readonly terms: readonly string[];
      readonly before?: Pick<AuditRecord, "at" | "id">;
      readonly limit: number;
    },
  ): Promise<readonly AuditRecord[]>;
  /** Hours or days in which something happened, oldest first. */
  countIssuances(range: { unit: "hour" | "day"; from: Date }): Promise<readonly IssuanceCount[]>;
  topResources(range: {
    fromDay: string;
    limit: number;
  }): Promise<readonly { readonly resource: string; readonly count: number }[]>;
  topSkills(range: {
    fromDay: string;
    limit: number;
  }): Promise<readonly { readonly skillId: string; readonly count: number }[]>;
  /** Adds what was read since the last time. */
  addSkillReads(
    reads: readonly { readonly day: string; readonly skillId: string; readonly count: number }[],
  ): Promise<void>;
}
