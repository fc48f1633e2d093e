import { loadPerson, personFault } from "../../grants/log-in.js";
import type { GroupDirectories } from "../../groups/directories.js";
import type { Browser } from "../../login/browser.js";
import type { StoredAuthorizationRequest } from "../../store/authorization-requests.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import { type AuthorizationStep, decideAuthorization } from "./decide.js";
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
    permitted: personFault(person) === undefined,
    installationName,
    now,
  });
  return { step, user: person?.user, installationName };
}
