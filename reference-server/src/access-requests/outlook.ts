import { type Decision, decide } from "../permissions/decide.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { AccessRequest } from "../store/access-requests.js";
import type { Scope } from "../store/scopes.js";
import type { Store } from "../store/store.js";
import { isRequestable } from "./ask.js";
import type { FoundTarget } from "./target.js";

/** A permission in the words of the registry. */
type WordedScope = Pick<Scope, "key" | "description">;

/** What a person has and lacks somewhere, and what became of asking for it. */
export interface AskOutlook extends Pick<Decision, "granted" | "missing"> {
  /** What they can ask for, whether or not they have asked already. */
  readonly requestable: readonly WordedScope[];
  /** Whether something of that is in no pending request. */
  readonly open: boolean;
  /** The request that is pending, or was decided last. */
  readonly last: AccessRequest | undefined;
}

/**
 * Loads what somebody can ask for.
 *
 * @param question.scopes - absent: all that the target offers
 */
export async function loadAskOutlook(
  question: {
    readonly permissions: Permissions;
    readonly found: FoundTarget;
    readonly scopes?: readonly string[];
  },
  store: Pick<Store, "accessRequests" | "scopes">,
): Promise<AskOutlook> {
  const { permissions, found, scopes = found.offered } = question;
  const { resource, target } = found;
  const { granted, missing } = decide({ permissions, scopes, ...(resource && { resource }) });
  const keys = missing.filter(isRequestable).map(({ scope }) => scope);
  const [known, last] = await Promise.all([
    store.scopes.findAll(keys),
    store.accessRequests.findLast(permissions.user.id, target),
  ]);
  const words = new Map(known.map(({ key, description }) => [key, description]));
  const asked = last?.state === "pending" ? last.scopes : [];
  return {
    granted,
    missing,
    requestable: keys.map((key) => ({ key, description: words.get(key) ?? key })),
    open: keys.some((key) => !asked.includes(key)),
    last,
  };
}
