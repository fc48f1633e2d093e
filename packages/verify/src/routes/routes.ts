import { exchangeAssertion, type TokenEndpointOptions } from "../assertion/token-endpoint.js";
import { AuthzError, toAuthzError } from "../errors.js";
import type { SigningKeys } from "../keys/signing-keys.js";
import { type AuthzLog, logRefusal } from "../log.js";
import type { AuthzRoute, RouteResponse } from "../messages.js";
import type { Configuration } from "../options/parse-options.js";
import type { SkillSource } from "../options/skills.js";
import { formatRefusal, type RefusalOptions, type RefusalPlace } from "../refusal.js";
import { agentSkillsRoutes } from "./agent-skills.js";
import { answerDocument, jsonDocument, type PublicDocument } from "./documents.js";
import {
  authorizationServerMetadata,
  paths,
  protectedResourceMetadata,
  protectedResourcePath,
} from "./metadata.js";
import { answerCatalog, skillFileAnswers } from "./skill-catalog.js";

/** The dependencies of the routes. */
export interface RoutesOptions {
  readonly configuration: Configuration;
  readonly signingKeys: SigningKeys;
  readonly tokenEndpoint: TokenEndpointOptions;
  readonly refusals: RefusalOptions;
  readonly log: AuthzLog;
}

/** Creates all routes of the service. */
export function createRoutes(options: RoutesOptions): readonly AuthzRoute[] {
  const { configuration } = options;
  const resource = jsonDocument(protectedResourceMetadata(configuration));
  // Both paths are equal for a resource that is the whole origin.
  const resourcePaths = new Set([paths.protectedResource, protectedResourcePath(configuration)]);
  const routes: readonly AuthzRoute[] = [
    ...[...resourcePaths].map((path) => documentRoute(path, resource)),
    documentRoute(paths.authorizationServer, jsonDocument(authorizationServerMetadata(configuration))),
    keySetRoute(options),
    tokenRoute(options),
    authorizeRoute(options),
    ...skillRoutes(configuration.skills, options),
  ];
  return Object.freeze(routes.map((route) => Object.freeze(route)));
}

function documentRoute(path: string, document: PublicDocument): AuthzRoute {
  return { method: "GET", path, handle: (request) => Promise.resolve(answerDocument(document, request)) };
}

function keySetRoute(options: RoutesOptions): AuthzRoute {
  return {
    method: "GET",
    path: paths.keySet,
    handle: (request) =>
      answering("endpoint", options, async () => {
        const keys = await options.signingKeys.published();
        return answerDocument(jsonDocument({ keys }), request);
      }),
  };
}

function tokenRoute(options: RoutesOptions): AuthzRoute {
  return {
    method: "POST",
    path: paths.token,
    handle: (request) =>
      answering("endpoint", options, () => exchangeAssertion(request, options.tokenEndpoint)),
  };
}

/** Refuses every request. It exists because clients refuse metadata without an authorization endpoint. */
function authorizeRoute(options: RoutesOptions): AuthzRoute {
  return {
    method: "GET",
    path: paths.authorize,
    handle: () =>
      answering("endpoint", options, () =>
        Promise.reject(new AuthzError("unsupported_response_type", "response_type")),
      ),
  };
}

function skillRoutes(source: SkillSource | undefined, options: RoutesOptions): readonly AuthzRoute[] {
  if (source === undefined) return [];
  const catalog: AuthzRoute = {
    method: "GET",
    path: paths.skills,
    handle: (request) =>
      answering("catalog", options, () => answerCatalog(request, source, options.tokenEndpoint)),
  };
  const answerFile = skillFileAnswers(source);
  const file: AuthzRoute = {
    method: "GET",
    path: `${paths.skillFiles}/:digest`,
    handle: (request) => answering("catalog", options, () => answerFile(request, options.tokenEndpoint)),
  };
  if (!source.agentSkillsIndex) return [catalog, file];
  return [catalog, file, ...agentSkillsRoutes(source.load, options.configuration.clock)];
}

/** Formats refusals as responses. Other errors go to the framework. */
async function answering(
  place: RefusalPlace,
  { refusals, log }: RoutesOptions,
  answer: () => Promise<RouteResponse>,
): Promise<RouteResponse> {
  try {
    return await answer();
  } catch (cause) {
    const error = logRefusal(toAuthzError(cause), log);
    if (!(error instanceof AuthzError)) throw error;
    return formatRefusal(error, place, refusals);
  }
}
