/** Names from the standards, and the paths and lifetimes of this server. */

export const grantTypes = {
  authorizationCode: "authorization_code",
  refreshToken: "refresh_token",
  tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange",
  deviceCode: "urn:ietf:params:oauth:grant-type:device_code",
  clientCredentials: "client_credentials",
  jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer",
} as const;

export type GrantTypeName = (typeof grantTypes)[keyof typeof grantTypes];

export const tokenTypes = {
  refreshToken: "urn:ietf:params:oauth:token-type:refresh_token",
  idToken: "urn:ietf:params:oauth:token-type:id_token",
  accessToken: "urn:ietf:params:oauth:token-type:access_token",
  identityAssertion: "urn:ietf:params:oauth:token-type:id-jag",
} as const;

/** What this server redeems as a JWT authorization grant (draft-ietf-oauth-identity-assertion-authz-grant §7.2). */
export const grantProfiles = ["urn:ietf:params:oauth:grant-profile:id-jag"] as const;

/** How a client proves who it is with a signed assertion (RFC 7523 §2.2). */
export const clientAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** What `request_uri` of a pushed request begins with (RFC 9126 §2.2). */
export const requestUriPrefix = "urn:ietf:params:oauth:request_uri:";

/** What a client may ask for at the authorization endpoint. */
export const clientScopes = ["openid", "profile", "email", "offline_access", "authz:login"] as const;

export type ClientScope = (typeof clientScopes)[number];

/** Whether a scope is one that a client may ask for at the authorization endpoint. */
export function isClientScope(scope: string): scope is ClientScope {
  return (clientScopes as readonly string[]).includes(scope);
}

/** Initial polling interval of a device in seconds (RFC 8628 §3.2). */
export const pollIntervalSeconds = 5;

/** Lifetimes in seconds. */
export const lifetimes = {
  authorizationRequest: 600,
  /** From pushing a request to bringing it with a browser. */
  pushedRequest: 60,
  authorizationCode: 60,
  deviceAuthorization: 600,
  clientAssertion: 60,
  accessToken: 300,
  idToken: 300,
  identityAssertion: 300,
  /** Longest lifetime of a redeemed identity assertion, of any issuer. */
  redeemedAssertion: 3600,
  /** A refresh token expires when unused for this long. */
  refreshTokenIdle: 30 * 24 * 3600,
  /** A grant ends after this time, however often it was refreshed. */
  grant: 90 * 24 * 3600,
  browserSession: 8 * 3600,
  signInAttempt: 600,
  connectionAttempt: 600,
  /** From asking to the answer; longer when another person answers. */
  approval: 600,
  approvalByGroup: 24 * 3600,
  /** From the answer to collecting the token. */
  approvedCall: 600,
  /** Of a token for one call, and of collecting it again. */
  transactionToken: 120,
} as const;

/** Paths below the issuer. */
export const paths = {
  authorize: "/api/oauth/authorize",
  pushedRequest: "/api/oauth/par",
  deviceAuthorization: "/api/oauth/device_authorization",
  token: "/api/oauth/token",
  revocation: "/api/oauth/revoke",
  /** Where clients and services submit challenges, and collect tokens for one call. */
  transaction: "/api/oauth/transaction",
  registration: "/api/oauth/register",
  userinfo: "/api/oauth/userinfo",
  /** The token status list, which tokens name. */
  statusList: "/oauth/status",
  statusLists: "/oauth/status/lists",
  consent: "/oauth/consent",
  /** The form to request what a refused request lacks. */
  refused: "/oauth/refused",
  /** Where a person answers: below it, the approval's id. */
  approve: "/approve",
  device: "/device",
  signIn: "/sign-in",
  signInStart: "/sign-in/start",
  signInCallback: "/sign-in/callback",
  signOut: "/sign-out",
  /** Where providers post logout tokens: followed by the key of the provider. */
  backChannelLogout: "/sign-in/back-channel-logout",
  /** Where transmitters push security events: followed by the key of the stream. */
  signals: "/signals",
  /** Where agents call this server (Model Context Protocol). */
  agents: "/mcp",
  agentsMetadata: "/.well-known/oauth-protected-resource/mcp",
  home: "/",
  account: "/account",
  access: "/access",
  withdrawAccess: "/access/withdraw",
  installGuide: "/install.md",
  skills: "/skills",
  administration: "/admin",
  setUp: "/setup",
  setUpToken: "/setup/token",
  setUpDetails: "/setup/details",
  setUpTest: "/setup/test",
  setUpComplete: "/setup/complete",
  setUpDone: "/setup/done",
  endGrant: "/devices/sign-out",
  renameGrant: "/devices/name",
  endGrants: "/devices/sign-out-all",
  /** Where a person stops one of their apps or all of them. */
  stopApps: "/devices/stop",
  startApps: "/devices/start",
  endSession: "/browsers/sign-out",
  connections: "/connections",
  connectionCallback: "/connections/callback",
  connectionStart: "/connections/start",
  connectionEnd: "/connections/disconnect",
} as const;
