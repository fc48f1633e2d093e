/**
 * The resource-server SDK without a framework: identifies callers and checks their permissions.
 *
 * @module
 */
export {
  type Clock,
  createNonceSource,
  type DpopErrorReason,
  type Es256KeyPair,
  generateEs256KeyPair,
  type InMemoryOptions,
  inMemory,
  type NonceSource,
  type NonceSourceOptions,
  type PrivateJwk,
  type PublicJwk,
  type ReplayRecord,
  type ReplayStore,
} from "@authz/dpop";
export type { JwsErrorReason } from "@authz/dpop/jws";
export type { Actor, JwtErrorReason } from "@authz/dpop/jwt";
export type { Skill, SkillFile } from "@authz/skills";
export type { Authz } from "./authz.js";
export type { ApprovalNeed, ApprovalRequest } from "./approval/detail.js";
export type { ApprovalGuard, ApprovalOptions, GuardedCall } from "./approval/guard.js";
export type { Admission, Auth, Decision, Identity, Policy, Refusal, Transaction } from "./decision.js";
export {
  type ApprovalReason,
  type AuthzErrorCode,
  type AuthzErrorReason,
  AuthzUnavailableError,
  type CredentialsReason,
  type JwtReason,
  type StatusReason,
  type TokenRequestReason,
  type UnavailableReason,
} from "./errors.js";
export { initAuthz } from "./init-authz.js";
export type { PublishedKey, RemoteSigner, SigningKey, SigningKeyProvider } from "./keys/signing-key.js";
export type { AuthzLog, AuthzLogEvent } from "./log.js";
export type { AuthzRequest, AuthzResponse, AuthzRoute, RouteRequest, RouteResponse } from "./messages.js";
export type { Mismatch } from "./mismatch.js";
export type {
  AuthzOptions,
  FixedSkills,
  LoadedSkills,
  PublishedSkills,
  SkillsOptions,
} from "./options/options.js";
export { findRoute } from "./routes/find-route.js";
export { wrongTarget } from "./routes/wrong-target.js";
export { type FetchRequestOverrides, requestFromFetch, responseToFetch } from "./transport/fetch.js";
export {
  type NodeRequest,
  type NodeRequestOverrides,
  type NodeResponse,
  keptNodeBody,
  readNodeBody,
  requestFromNode,
  routeRequestFromNode,
  sendNodeResponse,
} from "./transport/node.js";
export { createUpgradeCheck, type Upgrade, type UpgradeListener } from "./transport/upgrade.js";
