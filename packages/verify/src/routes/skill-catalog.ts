import type { Clock, ReplayStore } from "@authz/dpop";
import type { IssuerKeys } from "../discovery/issuer-keys.js";
import { AuthzError } from "../errors.js";
import { checkAudience, checkIssuer, checkLifetime, readSubject, readTokenId } from "../jwt/claims.js";
import { checkSignature, type JwtKind, parseJwt, refuse } from "../jwt/jwt.js";
import type { AuthzResponse, RouteRequest } from "../messages.js";
import type { SkillSource } from "../options/skills.js";
import { isFirstUse } from "../replay.js";
import { readCredentials } from "../request/credentials.js";

/** What serving the catalog takes. */
export interface SkillCatalogOptions {
  readonly issuer: string;
  readonly publicOrigin: string;
  readonly issuerKeys: IssuerKeys;
  readonly replayStore: ReplayStore;
  readonly clock: Clock;
}

const kind: JwtKind = { code: "invalid_token", type: "authz-skills+jwt", maxBytes: 8 * 1024 };
const maximumSeconds = 60;

/**
 * Answers the authorization server with the whole catalog, hidden skills included.
 *
 * @throws {AuthzError} The caller is not the authorization server.
 */
export async function answerCatalog(
  request: RouteRequest,
  source: SkillSource,
  options: SkillCatalogOptions,
): Promise<AuthzResponse> {
  await checkService(request, options);
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify({ skills: await source.load() }),
  };
}

/** Only the authorization server signs these, one per request. */
async function checkService(request: RouteRequest, options: SkillCatalogOptions): Promise<void> {
  const { scheme, token } = readCredentials(request);
  if (scheme !== "Bearer") throw new AuthzError("invalid_token", "scheme_not_accepted");
  const jwt = parseJwt(token, kind);
  checkIssuer(jwt, options.issuer);
  checkSignature(jwt, await options.issuerKeys.find(jwt.kid));
  if (readSubject(jwt) !== options.issuer) refuse(jwt, "jwt_subject");
  checkAudience(jwt, options.publicOrigin);
  const { expiresAt } = checkLifetime(jwt, Math.floor(options.clock() / 1000), maximumSeconds);
  const parts = [options.issuer, options.publicOrigin, readTokenId(jwt)];
  if (!(await isFirstUse(options.replayStore, { kind: "catalog", parts, expiresAt })))
    refuse(jwt, "jwt_replayed");
}
