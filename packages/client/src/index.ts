/**
 * Log-in, session and authorized requests for programs that act for a person, and authorized requests for machines.
 *
 * @module
 */
export type { ClientCache } from "./cache/client-cache.js";
export { fileCache } from "./cache/file-cache.js";
export { memoryCache } from "./cache/memory-cache.js";
export { type AuthzClient, type AuthzClientOptions, createClient, type SessionSummary } from "./client.js";
export type { Clock } from "./clock.js";
export type {
  Connection,
  ConnectionAttempt,
  ConnectionAttemptResult,
  ConnectionState,
  OfferedScope,
  Revocation,
} from "./connections/connection.js";
export type { ConnectionPlan, ConnectionRequest } from "./connections/connection-requests.js";
export { reconnectReason } from "./connections/reconnect-reason.js";
export type { WaitOptions } from "./connections/wait-for-connection.js";
export { parseIssuer, type ServerCheck } from "./discovery.js";
export {
  AuthzClientError,
  type AuthzClientErrorCode,
  type AuthzClientErrorText,
  type RequestSent,
} from "./errors.js";
export type { AuthzClientEvent, AuthzClientEventListener } from "./events.js";
export type { LoginOptions, SignInAddress } from "./login/browser-login.js";
export type { DeviceLoginOptions, DevicePrompt } from "./login/device-login.js";
export {
  createMachineClient,
  type MachineClient,
  type MachineClientOptions,
  type MachineResource,
  type MachineSigningKey,
} from "./machine/machine-client.js";
export type {
  Me,
  PermissionExplanation,
  PermissionRule,
  Resource,
  Skill,
  SkillSummary,
} from "./me/answers.js";
export { isAddition, type NextStep, stepText, stepWords } from "./next-step.js";
export { quoted } from "./quoted.js";
export type { AuthorizedFetch, AuthorizedFetchInit } from "./request/authorized-fetch.js";
export type { AuthorizedRequest, RequestPlan } from "./request/authorized-request.js";
export type { HeaderInput } from "./request/request-headers.js";
export { shellWord } from "./request/shell-word.js";
export { isScope } from "./scope.js";
export { fileProblem } from "./stores/file-problem.js";
export { fileStore } from "./stores/file-store.js";
export { type Keyring, type KeyringStoreOptions, keyringStore } from "./stores/keyring-store.js";
export { makeFolder } from "./stores/make-folder.js";
export { memoryStore } from "./stores/memory-store.js";
export { readPrivateFile, writePrivateFile } from "./stores/private-file.js";
export type { SessionStore } from "./stores/session-store.js";
export { type ConnectionFor, nodeTransport } from "./transport/node-transport.js";
export { proxyConnections } from "./transport/proxy-connection.js";
export type {
  ByteStream,
  RequestBody,
  Transport,
  TransportAnswer,
  TransportRequest,
} from "./transport/transport.js";
