/**
 * Sign-in, session and authorized requests for programs that act for a person, and authorized requests for machines.
 *
 * @module
 */
export type { AccessRequest } from "./api/access-request.js";
export type {
  CallRule,
  Me,
  PermissionExplanation,
  PermissionRule,
  Resource,
} from "./api/me-api.js";
export type { Skill, SkillFileEntry, SkillGap, SkillList, SkillSummary } from "./api/skills-answer.js";
export { type AuthzClient, type AuthzClientOptions, createClient, type SessionSummary } from "./client.js";
export type {
  Connection,
  ConnectionAttempt,
  ConnectionAttemptResult,
  ConnectionState,
  OfferedScope,
  Revocation,
} from "./connections/connection.js";
export { reconnectReason } from "./connections/connection-errors.js";
export type { ConnectionPlan, ConnectionRequest } from "./connections/connection-requests.js";
export type { Connections } from "./connections/connections.js";
export type { WaitOptions } from "./connections/wait-for-connection.js";
export {
  AuthzClientError,
  type AuthzClientErrorCode,
  type AuthzClientErrorFacts,
  type AuthzClientErrorReason,
  type RequestSent,
} from "./errors.js";
export type { LoginOptions, SignInAddress } from "./login/browser-login.js";
export type { DeviceLoginOptions, DevicePrompt } from "./login/device-login.js";
export {
  createMachineClient,
  type MachineClient,
  type MachineClientOptions,
  type MachineResource,
} from "./machine-client.js";
export type { AuthorizedFetch, AuthorizedFetchInit } from "./request/authorized-fetch.js";
export type { AuthorizedRequest, HeaderInput } from "./request/request-parts.js";
export type { RequestPlan, ServiceNeed } from "./request/service-requests.js";
export { isScope } from "@authz/dpop/jwt";
export type { ServerOptions } from "./server-options.js";
export type { ClientCache } from "./stores/client-cache.js";
export { memoryCache } from "./stores/client-cache.js";
export { fileCache } from "./stores/file-cache.js";
export { fileProblem, makeFolder } from "./stores/file-system.js";
export { type Keyring, type KeyringStoreOptions, keyringStore } from "./stores/keyring-store.js";
export { readPrivateFile, writePrivateFile } from "./stores/private-file.js";
export type { SessionStore } from "./stores/session-store.js";
export { fileStore, memoryStore } from "./stores/session-store.js";
export type { MachineSigningKey } from "./tokens/machine-tokens.js";
export type { AuthzClientEvent, AuthzClientEventListener } from "./tokens/server-context.js";
export { parseIssuer, type ServerCheck } from "./tokens/server-metadata.js";
export { type ConnectionFor, nodeTransport } from "./transport/node-transport.js";
export { proxyConnections } from "./transport/proxy-connection.js";
export type { Clock } from "./transport/time.js";
export {
  type ByteStream,
  isRepeatable,
  type RequestBody,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport/transport.js";
