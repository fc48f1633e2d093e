import { admitPerson, loadPerson } from "../../grants/person.js";
import {
  isServiceScope,
  isWithinCeiling,
  type ServiceAccess,
  serviceAccess,
} from "../../grants/service-access.js";
import { unknownTarget } from "../../requested-resource.js";
import type { GroupDirectories } from "../../../permissions/groups/directories.js";
import type { Browser } from "../../../sign-in/browser.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { Client } from "../../../store/clients.js";
import type { Resource } from "../../../store/resources.js";
import type { Store } from "../../../store/store.js";
import type { User } from "../../../store/users.js";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { loginScope } from "../../../store/system-scopes.js";
import { type AuthorizationSituation, type AuthorizationStep, decideAuthorization } from "./decide.js";
import type { Prompt } from "./request.js";

/** The scopes to ask consent for: the requested ones that the user holds now. */
export interface Offer {
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  /** Those about the person first. */
  readonly scopes: readonly string[];
  /** Of the service: requested, and not available. */
  readonly left: readonly string[];
  /** Of the service: requested and held, and left to its rules. */
  readonly ruled: readonly string[];
}

/** The next step of a request, and its user. */
export interface ConsideredAuthorization {
  readonly step: AuthorizationStep;
  readonly user: User | undefined;
  /** `undefined`: the browser is not signed in, or the user is unknown. */
  readonly person: Permissions | undefined;
  readonly offer: Offer;
  readonly installationName: string;
}

/** Loads everything that decides over an authorization request, and decides. */
export async function considerAuthorization(
  request: Pick<
    StoredAuthorizationRequest,
    "prompts" | "maxAgeSeconds" | "createdAt" | "resourceId" | "scopes"
  >,
  { browser, client }: { readonly browser: Browser; readonly client: Client },
  { store, directories, now }: { store: Store; directories: GroupDirectories; now: Date },
): Promise<ConsideredAuthorization> {
  const { session } = browser;
  const { resourceId } = request;
  const beginning = { userId: session?.userId ?? null, clientId: client.id, resourceId };
  const [{ installationName }, resource, stopped] = await Promise.all([
    store.settings.get(),
    resourceId === null ? undefined : store.resources.find(resourceId),
    store.stops.applies(beginning),
  ]);
  const person = session && (await loadPerson(session.userId, { store, directories }));
  const access = person && resource && serviceAccess(request.scopes, { person, client, resource });
  const offer = offerOf(request.scopes, { client, resource, access });
  const considered = { user: person?.user, person, installationName, offer };
  if (resourceId !== null && resource?.enabled !== true) {
    return { ...considered, step: { kind: "refuse", error: unknownTarget(resource), lacks: false } };
  }
  const step = decideAuthorization({
    request: {
      prompts: new Set(request.prompts as readonly Prompt[]),
      maxAgeSeconds: request.maxAgeSeconds ?? undefined,
      createdAt: request.createdAt,
    },
    session,
    permission: resource === undefined ? loginPermission(person) : servicePermission(access),
    stopped,
    serviceName: resource?.name,
    installationName,
    now,
  });
  return { ...considered, step };
}

function offerOf(
  asked: readonly string[],
  {
    client,
    resource,
    access,
  }: {
    readonly client: Client;
    readonly resource: Resource | undefined;
    readonly access: ServiceAccess | undefined;
  },
): Offer {
  if (resource === undefined) {
    const scopes = asked.filter((scope) => scope !== loginScope || isWithinCeiling(scope, client));
    return { resource, scopes, left: [], ruled: [] };
  }
  const aboutPerson = asked.filter((scope) => !isServiceScope(scope));
  const { scopes = [], left = [], ruled = [] } = access ?? {};
  return { resource, scopes: [...aboutPerson, ...scopes], left, ruled };
}

function loginPermission(person: Permissions | undefined): AuthorizationSituation["permission"] {
  const admitted = admitPerson(person);
  if (!(admitted instanceof OAuthError)) return "held";
  return admitted.code === "temporarily_unavailable" ? "unknown" : "missing";
}

function servicePermission(access: ServiceAccess | undefined): AuthorizationSituation["permission"] {
  if (access === undefined) return "missing";
  if (access.scopes.length > 0) return "held";
  if (access.ruled.length > 0) return "ruled";
  return access.undecided.length > 0 ? "unknown" : "missing";
}
