import { setTimeout as delay } from "node:timers/promises";
import { clientScopes, grantProfiles, grantTypes, paths, tokenTypes } from "../../protocol/vocabulary.js";
import type { Settings } from "../../store/settings.js";
import type { Store } from "../../store/store.js";
import { loginScope } from "../../store/system-scopes.js";

/** The metadata document of RFC 8414 and OpenID Connect Discovery. */
export type ServerMetadata = Readonly<Record<string, string | boolean | readonly string[]>>;

/**
 * Merges the metadata of each part of the server.
 *
 * A part that is not mounted contributes nothing, so the document promises only what works.
 */
function createMetadata(issuer: string, parts: readonly ServerMetadata[]): ServerMetadata {
  const own: ServerMetadata = { issuer, jwks_uri: `${issuer}/api/oauth/jwks` };
  return Object.assign({}, own, ...parts) as ServerMetadata;
}

/** What the OAuth endpoints add to the metadata document; only what works (RFC 8414, OpenID Connect Discovery). */
export function oauthMetadata(issuer: string): ServerMetadata {
  return {
    authorization_endpoint: `${issuer}${paths.authorize}`,
    pushed_authorization_request_endpoint: `${issuer}${paths.pushedRequest}`,
    device_authorization_endpoint: `${issuer}${paths.deviceAuthorization}`,
    token_endpoint: `${issuer}${paths.token}`,
    revocation_endpoint: `${issuer}${paths.revocation}`,
    transaction_authorization_endpoint: `${issuer}${paths.transaction}`,
    userinfo_endpoint: `${issuer}${paths.userinfo}`,
    status_list_aggregation_endpoint: `${issuer}${paths.statusLists}`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: Object.values(grantTypes),
    authorization_grant_profiles_supported: grantProfiles,
    code_challenge_methods_supported: ["S256"],
    dpop_signing_alg_values_supported: ["ES256"],
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: ["ES256"],
    revocation_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    revocation_endpoint_auth_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
    identity_chaining_requested_token_types_supported: [tokenTypes.identityAssertion],
    // What any client may ask for: hosts ask for all of it.
    scopes_supported: clientScopes.filter((scope) => scope !== loginScope),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    claims_supported: [
      "iss",
      "sub",
      "aud",
      "exp",
      "iat",
      "auth_time",
      "amr",
      "nonce",
      "sid",
      "email",
      "email_verified",
      "name",
    ],
  };
}

/** A change of the settings is in the document of every process after this time. */
const lifetimeSeconds = 3;
/** Maximum wait for the settings; a slow database must not delay the document. */
const longestWaitMilliseconds = 500;

type WaysIn = Pick<Settings, "appTrust" | "dynamicRegistration">;

interface LiveMetadataOptions {
  readonly issuer: string;
  /** What does not change while the server runs. */
  readonly parts: readonly ServerMetadata[];
  readonly store: { readonly settings: Pick<Store["settings"], "get"> };
  readonly clock: () => number;
}

/**
 * Creates the metadata document, which names how unregistered clients may identify themselves: hosts look for that before they open
 * a browser, and settings change it.
 *
 * While the database is away the document stays as it was; before it was ever read, it is as a new installation has it. The same
 * object as long as nothing changed.
 */
export function createLiveMetadata({
  issuer,
  parts,
  store,
  clock,
}: LiveMetadataOptions): () => Promise<ServerMetadata> {
  const build = (waysIn: WaysIn) => createMetadata(issuer, [...parts, waysInMetadata(issuer, waysIn)]);
  let known: WaysIn = { appTrust: "listed", dynamicRegistration: false };
  let metadata = build(known);
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const { appTrust, dynamicRegistration } = await store.settings.get();
      if (appTrust === known.appTrust && dynamicRegistration === known.dynamicRegistration) return;
      known = { appTrust, dynamicRegistration };
      metadata = build(known);
    } catch {
      // The document stays as it was while the database is away.
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    // `abs`: a clock that was set back must not keep an old document.
    if (Math.abs(clock() - readAt) >= lifetimeSeconds * 1000) {
      readAt = clock();
      reading = read();
    }
    if (reading !== undefined)
      await Promise.race([reading, delay(longestWaitMilliseconds, undefined, { ref: false })]);
    return metadata;
  };
}

function waysInMetadata(issuer: string, { appTrust, dynamicRegistration }: WaysIn): ServerMetadata {
  return {
    client_id_metadata_document_supported: appTrust !== "off",
    ...(dynamicRegistration && { registration_endpoint: `${issuer}${paths.registration}` }),
  };
}
