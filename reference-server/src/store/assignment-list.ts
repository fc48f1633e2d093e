import type { Page, PageRequest } from "./page.js";

/** An assignment as administrators see it: to an address, or to a group. */
export interface ListedAssignment {
  readonly id: string;
  readonly email: string | null;
  /** Who has the address now. */
  readonly person: { readonly id: string; readonly name: string | null; readonly enabled: boolean } | null;
  readonly group: { readonly provider: string; readonly providerName: string; readonly key: string } | null;
  readonly scope: string;
  readonly createdAt: Date;
}

/** Somebody who has signed in with an address. */
export interface AddressHolder {
  readonly email: string;
  readonly enabled: boolean;
}

export type AssignmentListRequest = PageRequest<"assignee" | "scope" | "createdAt"> & {
  readonly email: string | undefined;
  readonly scope: string | undefined;
  /** The key of a group provider, and of one of its groups. */
  readonly group: { readonly provider: string; readonly key: string | undefined } | undefined;
};

export interface AssignmentListStore {
  list(request: AssignmentListRequest): Promise<Page<ListedAssignment>>;
  /** Those of these assignments that exist, by assignee and scope. */
  findAll(ids: readonly string[]): Promise<readonly ListedAssignment[]>;
  /** Who has these addresses now, by address. */
  findPeople(emails: readonly string[]): Promise<readonly AddressHolder[]>;
}
