import { type Clock, createProofChecker } from "@authz/dpop";
import { createTokenIssuer } from "./access-token/issue.js";
import { createTokenVerifier } from "./access-token/verify.js";
import { createBoundHeaders } from "./approval/call.js";
import { createApprovalGuards } from "./approval/guard.js";
import { createPresenter } from "./approval/present.js";
import type { Authz } from "./authz.js";
import { createIssuerKeys, type IssuerKeys } from "./issuer/issuer-keys.js";
import { createStatusList, type StatusList } from "./issuer/status-list.js";
import { createProvidedKeys } from "./keys/provided-keys.js";
import { isProvider } from "./keys/signing-key.js";
import { createFixedKeys, type SigningKeys } from "./keys/signing-keys.js";
import { createLog } from "./log.js";
import type { AuthzOptions } from "./options/options.js";
import { parseOptions } from "./options/parse-options.js";
import { createDecider } from "./request/decide.js";
import { createPolicies } from "./request/policy.js";
import { paths, protectedResourcePath } from "./routes/metadata.js";
import { createRoutes } from "./routes/routes.js";
import { createFetchHandler } from "./transport/fetch.js";
import { createNodeHandler } from "./transport/node.js";
import { createUpgradeCheck, createUpgradeGuard } from "./transport/upgrade.js";

/**
 * Sets up authorization for one service. Create it once: it holds the caches.
 *
 * @param issuer - the public URL of the authorization server, without a trailing slash
 * @throws {TypeError} An option is missing, wrong or unknown; the message names it and the remedy.
 */
export function initAuthz(issuer: string, options: AuthzOptions): Authz {
  const configuration = parseOptions(issuer, options);
  const { publicOrigin, resource, clock, clockToleranceSeconds, replayStore, nonces, supportedScopes } =
    configuration;
  const bearerAllowed = configuration.dpop === "allowed";
  const log = createLog(configuration.log, configuration.allowInsecureLoopback);
  const refusals = {
    metadataUrl: publicOrigin + protectedResourcePath(configuration),
    bearerAllowed,
    nonces,
  };
  const { signingKeys: source } = configuration;
  const signingKeys = isProvider(source) ? createProvidedKeys(source, clock) : createFixedKeys(source);
  const issuerKeys = createIssuerKeys({ ...configuration, log });
  const proofChecker = createProofChecker({ clock, clockToleranceSeconds, nonces });
  const statusList = createStatusList({ ...configuration, issuerKeys, log });
  const tokenVerifier = createTokenVerifier({ ...configuration, signingKeys, issuerKeys, statusList });
  const tokenIssuer = createTokenIssuer({ publicOrigin, resource, signingKeys, statusList, clock });
  const tokenEndpoint = {
    ...configuration,
    tokenEndpoint: publicOrigin + paths.token,
    bearerAllowed,
    issuerKeys,
    statusList,
    proofChecker,
    tokenIssuer,
    log,
  };
  const routes = createRoutes({ configuration, signingKeys, tokenEndpoint, refusals, log });
  const policies = createPolicies(supportedScopes);

  const boundHeaders = createBoundHeaders(configuration);

  const decide = createDecider({
    publicOrigin,
    policies,
    tokenVerifier,
    proofChecker,
    statusList,
    checkTransaction: boundHeaders.check,
    verification: configuration.verification,
    replayStore,
    refusals,
    log,
  });
  const defineApproval = createApprovalGuards({
    ...configuration,
    // A discovery proxy forwards documents only.
    present:
      configuration.discoveryProxyOrigin === undefined
        ? createPresenter({ ...configuration, signingKeys })
        : undefined,
    boundHeaders,
    tokenVerifier,
    statusList,
    signingKeys,
    refusals,
    log,
  });
  const definePolicy: Authz["definePolicy"] = (policy) => policies.get(policy).policy;

  return Object.freeze({
    ready: createReadiness({ issuerKeys, statusList, signingKeys, clock }),
    decide,
    definePolicy,
    defineApproval,
    routes,
    handleFetch: createFetchHandler(routes),
    handleNode: createNodeHandler(routes, createUpgradeCheck()),
    guardUpgrade: createUpgradeGuard({ decide, definePolicy }),
  } satisfies Authz);
}

const signingCheckMilliseconds = 60_000;

/** Caches a successful signature for a minute, so that probes do not overload a key service. */
function createReadiness({
  issuerKeys,
  statusList,
  signingKeys,
  clock,
}: {
  readonly issuerKeys: IssuerKeys;
  readonly statusList: StatusList;
  readonly signingKeys: SigningKeys;
  readonly clock: Clock;
}): Authz["ready"] {
  let signedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    await issuerKeys.load();
    // Without it the service is ready all the same, so that an outage of the list is none of the service.
    await statusList.renew();
    if (clock() - signedAt < signingCheckMilliseconds) return;
    await signingKeys.sign("test+jwt", {});
    signedAt = clock();
  };
}
