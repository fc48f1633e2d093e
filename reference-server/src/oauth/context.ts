import type { ProofChecker } from "@authz/dpop";
import type { Frame } from "../pages/frame.js";
import type { Presence } from "../lifecycle/presence/presence.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { ProviderKeys } from "../sign-in/provider-keys.js";
import type { StoredAuthorizationRequest } from "../store/authorization-requests.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { Client } from "../store/clients.js";
import type { Resource } from "../store/resources.js";
import type { ClientDocuments } from "./clients/metadata-document/client-documents.js";
import type { LiveKeys } from "./keys/keys.js";

/** The dependencies of the OAuth endpoints and their pages. */
export interface OauthContext extends PageContext {
  readonly keys: LiveKeys;
  readonly proofChecker: ProofChecker;
  readonly providerKeys: ProviderKeys;
  readonly clientDocuments: ClientDocuments;
  readonly presence: Presence;
  readonly renderRefused: RenderRefused;
}

/** An authorization request that is refused because the person lacks permissions. */
export interface RefusedAuthorization {
  readonly request: StoredAuthorizationRequest;
  readonly client: Client;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
}

export interface RefusedPage extends RefusedAuthorization {
  readonly session: BrowserSession;
  readonly permissions: Permissions;
  /** Asked for at the service, and not held. */
  readonly left: readonly string[];
  /** The client's address with its error; `undefined`: it is a device, which polls. */
  readonly backHref: string | undefined;
}

/** Renders the page that says what is missing, and lets the person ask administrators for it. */
export type RenderRefused = (page: RefusedPage, frame: Frame) => Promise<string>;
