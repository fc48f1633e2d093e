/**
 * The resource-server SDK without a framework: who is calling, and may they.
 *
 * @module
 */
export {
  type Clock,
  createNonceSource,
  type Es256KeyPair,
  generateEs256KeyPair,
  inMemory,
  type NonceSource,
  type PrivateJwk,
  type PublicJwk,
  type ReplayStore,
} from "@authz/dpop";
export type { Skill } from "@authz/skills";
export type { Auth, Identity } from "./auth.js";
export type { Admission, Authz, Decision, Refusal } from "./authz.js";
export {
  AuthzError,
  type AuthzErrorCode,
  type AuthzErrorReason,
  AuthzUnavailableError,
} from "./errors.js";
export { initAuthz } from "./init-authz.js";
export type { PublishedKey, RemoteSigner, SigningKey, SigningKeyProvider } from "./keys/signing-key.js";
export type { AuthzLog, AuthzLogEvent } from "./log.js";
export type { AuthzRequest, AuthzResponse, AuthzRoute, RouteRequest } from "./messages.js";
export type { AuthzOptions } from "./options/options.js";
export type { FixedSkills, LoadedSkills, SkillsOptions } from "./options/skills-options.js";
export type { Policy } from "./request/policy.js";
export { findRoute } from "./routes/find-route.js";
export { requestFromFetch, responseToFetch } from "./transport/fetch.js";
export {
  handleNodeRequest,
  type NodeRequest,
  type NodeRequestOverrides,
  type NodeResponse,
  readNodeBody,
  requestFromNode,
  routeRequestFromNode,
  sendNodeResponse,
} from "./transport/node.js";
