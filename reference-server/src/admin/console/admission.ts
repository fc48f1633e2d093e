import { peopleToAsk } from "../../pages/fragments.js";
import type { BrowserCookies, CookieReader } from "../../sign-in/browser.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import type { PermissionSources } from "../../permissions/load-permissions.js";
import { loadAuthority } from "../../permissions/roles.js";
import { administerScope } from "../../store/system-scopes.js";
import type { AssignedPerson } from "../../store/assignments.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";

/** Whether a visitor sees the console, and what else. */
export type Admission =
  | { readonly kind: "admitted" }
  | { readonly kind: "anonymous" }
  | { readonly kind: "refused"; readonly user: User; readonly administrators: readonly AssignedPerson[] };

export interface AdmissionSources extends PermissionSources {
  readonly store: Pick<Store, "assignments" | "owners" | "users">;
  readonly cookies: Pick<BrowserCookies, "readSession">;
}

/**
 * Decides for the page only: the admin API asks the same for each of its requests.
 *
 * @throws {OAuthError} `temporarily_unavailable`: only a directory that is away knows whether the person may.
 */
export async function admit(request: CookieReader, sources: AdmissionSources): Promise<Admission> {
  const { store, cookies } = sources;
  const session = await cookies.readSession(request);
  const user = session && (await store.users.find(session.userId));
  if (user === undefined || !user.enabled) return { kind: "anonymous" };
  const { roles, undecided } = await loadAuthority(user, sources);
  if (roles.size > 0) return { kind: "admitted" };
  if (undecided.size > 0) throw directoryAway();
  const administrators = await store.assignments.listPeopleByScope(administerScope, peopleToAsk);
  return { kind: "refused", user, administrators };
}
