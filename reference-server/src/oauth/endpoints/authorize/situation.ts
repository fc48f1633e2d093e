import { admitPerson, loadPerson } from "../../grants/person.js";
import type { GroupDirectories } from "../../../permissions/groups/directories.js";
import type { Browser } from "../../../sign-in/browser.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { Store } from "../../../store/store.js";
import type { User } from "../../../store/users.js";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { type AuthorizationSituation, type AuthorizationStep, decideAuthorization } from "./decide.js";
import type { Prompt } from "./request.js";

/** What the next step of a request is, and for whom. */
export interface AuthorizationOutlook {
  readonly step: AuthorizationStep;
  readonly user: User | undefined;
  readonly installationName: string;
}

/** Loads what decides over an authorization request, and decides. */
export async function considerAuthorization(
  request: Pick<StoredAuthorizationRequest, "prompts" | "maxAgeSeconds" | "createdAt">,
  browser: Browser,
  { store, directories, now }: { store: Store; directories: GroupDirectories; now: Date },
): Promise<AuthorizationOutlook> {
  const { installationName } = await store.settings.get();
  const { session } = browser;
  const person = session && (await loadPerson(session.userId, { store, directories }));
  const step = decideAuthorization({
    request: {
      prompts: new Set(request.prompts as readonly Prompt[]),
      maxAgeSeconds: request.maxAgeSeconds ?? undefined,
      createdAt: request.createdAt,
    },
    session,
    permission: permissionOf(person),
    installationName,
    now,
  });
  return { step, user: person?.user, installationName };
}

function permissionOf(person: Permissions | undefined): AuthorizationSituation["permission"] {
  const admitted = admitPerson(person);
  if (!(admitted instanceof OAuthError)) return "held";
  return admitted.code === "temporarily_unavailable" ? "unknown" : "missing";
}
