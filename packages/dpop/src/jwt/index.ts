/**
 * The rules for JWTs and their claims, shared by the authorization server and services.
 *
 * @module
 */
export {
  type Actor,
  checkAudience,
  checkClient,
  checkIssuer,
  checkLifetime,
  checkResource,
  isIdentifier,
  isNumericDate,
  type Lifetime,
  type LifetimeLimits,
  type Profile,
  readActor,
  readClientId,
  readKeyThumbprint,
  readProfile,
  readScopes,
  readSessionId,
  readStatusIndex,
  readSubject,
  readTokenId,
} from "./claims.js";
export {
  checkSignature,
  type Jwt,
  type JwtAge,
  JwtError,
  type JwtErrorOptions,
  type JwtErrorReason,
  type JwtKind,
  parseJwt,
} from "./jwt.js";
export { canonicalResource } from "./resource.js";
export { isScope, isScopeToken, parseScope, scopePattern } from "./scope.js";
