import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import { type Decision, decide, type NamedGroup } from "./decide.js";
import { loadPermissions, type PermissionSources } from "./load-permissions.js";
import { loginScope } from "../store/system-scopes.js";

/** Why a person may or may not do something. */
export interface Explanation {
  readonly person: {
    /** `null` before the first sign-in with this address. */
    readonly id: string | null;
    readonly email: string;
    readonly name: string | null;
    readonly enabled: boolean;
  };
  /** `null` when the question is about this server itself. */
  readonly resource: { readonly key: string; readonly name: string } | null;
  readonly allowed: boolean;
  readonly granted: Decision["granted"];
  readonly missing: readonly ExplainedMissingScope[];
  /** Whether the person may use the command-line client, without which nothing is issued at all. */
  readonly login: Decision;
}

type ExplainedMissingScope = Decision["missing"][number] & {
  /** Groups that have the scope; being in one of them would grant it. At most 20. */
  readonly groups: readonly NamedGroup[];
};

/** The question cannot be answered; the message says what is wrong with it. */
export class ExplainError extends Error {
  override readonly name = "ExplainError";
  readonly unknownScopes: readonly string[];
  constructor(message: string, unknownScopes: readonly string[] = []) {
    super(message);
    this.unknownScopes = unknownScopes;
  }
}

export interface ExplanationSources extends PermissionSources {
  readonly store: Pick<Store, "assignments" | "users" | "resources" | "scopes">;
}

/** A person who has never signed in has no groups by a claim, but an address that can have assignments. */
const unknownPerson = "00000000-0000-0000-0000-000000000000";

/**
 * Explains what a person may do now: which assignment grants each scope, or why it is missing and what would grant it.
 *
 * Decides as an issuance does, directories included, and issues nothing.
 *
 * @throws {ExplainError} There is no such resource or scope.
 */
export async function explain(
  question: {
    readonly email: string;
    readonly resource: string | undefined;
    readonly scopes: readonly string[];
  },
  sources: ExplanationSources,
): Promise<Explanation> {
  const email = question.email.trim().toLowerCase();
  const resource = await findResource(question.resource, sources.store);
  await requireKnownScopes(question.scopes, sources.store);
  const found = await sources.store.users.findByEmail(email);
  const user: User = found ?? { id: unknownPerson, email, name: null, enabled: true, pausedAt: null };
  const permissions = await loadPermissions(user, sources);
  const { allowed, granted, missing } = decide({
    permissions,
    scopes: question.scopes,
    ...(resource !== undefined && { resource }),
  });
  return {
    person: { id: found?.id ?? null, email, name: user.name, enabled: user.enabled },
    resource: resource === undefined ? null : { key: resource.key, name: resource.name },
    allowed,
    granted,
    missing: await Promise.all(
      missing.map(async (scope) => ({
        ...scope,
        groups: await findGroupsThatGrant(scope, sources.store, 20),
      })),
    ),
    login: decide({ permissions, scopes: [loginScope] }),
  };
}

async function findResource(
  key: string | undefined,
  store: Pick<Store, "resources">,
): Promise<Resource | undefined> {
  if (key === undefined) return undefined;
  const resource = await store.resources.findByKey(key);
  if (resource === undefined) throw new ExplainError(`There is no service with the key "${key}".`);
  return resource;
}

async function requireKnownScopes(scopes: readonly string[], store: Pick<Store, "scopes">): Promise<void> {
  const known = new Set((await store.scopes.findAll(scopes)).map(({ key }) => key));
  const unknown = scopes.filter((scope) => !known.has(scope));
  if (unknown.length > 0) throw new ExplainError(`There is no scope ${unknown.join(", ")}.`, unknown);
}

/** The groups that have a missing scope, where being in one of them would change something. */
export async function findGroupsThatGrant(
  { scope, reason }: Decision["missing"][number],
  store: Pick<Store, "assignments">,
  limit: number,
): Promise<readonly NamedGroup[]> {
  if (reason !== "not_assigned" && reason !== "directory_unavailable") return [];
  return (await store.assignments.listGroupsByScope(scope, limit)).map(({ group: { key, provider } }) => ({
    key,
    provider: { key: provider.key, name: provider.name },
  }));
}
