import type { BrowserSession } from "./browser-sessions.js";
import type { Page, PageRequest } from "./page.js";

/** Whom something belongs to, in a list. */
export interface ListedPerson {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
}

/** A browser session as administrators see it. */
export interface ListedSession extends Omit<BrowserSession, "userId" | "providerId"> {
  readonly user: ListedPerson;
  readonly provider: { readonly key: string; readonly name: string };
}

export type SessionListRequest = PageRequest<"signedInAt"> & {
  readonly userId: string | undefined;
  /** Key of the identity provider. */
  readonly provider: string | undefined;
  readonly now: Date;
};

/** A session that has been removed. */
export type RemovedSession = Pick<BrowserSession, "id" | "userId">;

export interface SessionListStore {
  /** Those that are live; `q` is looked for in the people's names and addresses. */
  list(request: SessionListRequest): Promise<Page<ListedSession>>;
  /** How many live ones began at a provider. */
  countLive(provider: { readonly providerId: string; readonly now: Date }): Promise<number>;
  /** Removes these, whoever they belong to. Returns those that were there. */
  removeMany(ids: readonly string[]): Promise<readonly RemovedSession[]>;
}
