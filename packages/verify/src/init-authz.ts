import { createProofVerifier } from "@authz/dpop";
import { createTokenIssuer } from "./access-token/issue.js";
import { createTokenVerifier } from "./access-token/verify.js";
import type { Authz } from "./authz.js";
import { createIssuerKeys } from "./discovery/issuer-keys.js";
import { AuthzError } from "./errors.js";
import { createSigningKeys } from "./keys/signing-keys.js";
import { createLog } from "./log.js";
import type { AuthzResponse } from "./messages.js";
import { formatNonceHeaders } from "./nonce-headers.js";
import type { AuthzOptions } from "./options/options.js";
import { parseOptions } from "./options/parse-options.js";
import { createReadiness } from "./readiness.js";
import { formatRefusal } from "./refusal.js";
import { createAuthenticator, toAuthzError } from "./request/authenticate.js";
import { createDecider } from "./request/decide.js";
import { createPolicies } from "./request/policies.js";
import { paths } from "./routes/metadata.js";
import { createRoutes } from "./routes/routes.js";
import { createFetchHandlers } from "./transport/fetch.js";

/**
 * Sets up authorization for one service. Create it once: it holds the caches.
 *
 * @param issuer - the public URL of the authorization server, without a trailing slash
 * @throws {TypeError} An option is missing, wrong or unknown; the message names it and says what to do.
 */
export function initAuthz(issuer: string, options: AuthzOptions): Authz {
  const configuration = parseOptions(issuer, options);
  const { publicOrigin, resource, clock, replayStore, nonces, supportedScopes } = configuration;
  const bearerAllowed = configuration.dpop === "allowed";
  const log = createLog(configuration.log);
  const refusals = { metadataUrl: publicOrigin + paths.protectedResourceApi, bearerAllowed, nonces };
  const signingKeys = createSigningKeys(configuration.signingKeys, clock);
  const issuerKeys = createIssuerKeys({ ...configuration, log });
  const proofVerifier = createProofVerifier({ replayStore, clock, ...(nonces !== undefined && { nonces }) });
  const tokenVerifier = createTokenVerifier({ ...configuration, signingKeys, issuerKeys });
  const tokenIssuer = createTokenIssuer({ publicOrigin, resource, signingKeys, clock });
  const tokenEndpoint = {
    ...configuration,
    tokenEndpoint: publicOrigin + paths.token,
    bearerAllowed,
    issuerKeys,
    proofVerifier,
    tokenIssuer,
    log,
  };
  const routes = createRoutes({ configuration, signingKeys, tokenEndpoint, refusals, log });
  const policies = createPolicies(supportedScopes);
  const authenticate = createAuthenticator({
    publicOrigin,
    bearerAllowed,
    policies,
    tokenVerifier,
    proofVerifier,
    log,
  });

  function refusal(cause: unknown): AuthzResponse | undefined {
    const error = toAuthzError(cause);
    return error instanceof AuthzError ? formatRefusal(error, "protected", refusals) : undefined;
  }

  return Object.freeze({
    ready: createReadiness({ issuerKeys, signingKeys, clock }),
    decide: createDecider({ authenticate, refusal, headers: () => formatNonceHeaders(nonces) }),
    authenticate: async (request, policy) => await authenticate(request, policy),
    definePolicy: (policy) => policies.get(policy).policy,
    refusal,
    routes,
    handlers: createFetchHandlers(routes),
  } satisfies Authz);
}
