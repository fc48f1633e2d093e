import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import type { Kind, RevocableToken, RevocationRequest } from "./kind.js";

const api = "https://slack.com/api";

const deadGrants: ReadonlySet<unknown> = new Set([
  "invalid_code",
  "code_already_used",
  "code_expired",
  "invalid_refresh_token",
  "invalid_grant",
  "token_expired",
  "token_revoked",
  "account_inactive",
]);

const refusedClients: ReadonlySet<unknown> = new Set(["invalid_client_id", "bad_client_secret"]);

/** Errors for a token that was revoked before. An expired one is not: its refresh token may be valid. */
const deadTokens: ReadonlySet<unknown> = new Set(["token_revoked", "account_inactive"]);

/** @see https://docs.slack.dev/authentication/installing-with-oauth */
export const slack: Kind = {
  kind: "slack",
  name: "Slack",
  endpoints: {
    issuer: null,
    authorizationEndpoint: "https://slack.com/oauth/v2/authorize",
    tokenEndpoint: `${api}/oauth.v2.access`,
    revocationEndpoint: `${api}/auth.revoke`,
    accountEndpoint: `${api}/auth.test`,
    tokenEndpointAuthMethod: "client_secret_post",
  },
  authorizationParameters: {},
  scopes: [
    { scope: "users:read", required: true, byDefault: true },
    { scope: "channels:read", required: false, byDefault: true },
    { scope: "channels:history", required: false, byDefault: true },
    { scope: "search:read", required: false, byDefault: false },
  ],
  // Single methods: the same path also revokes tokens and manages applications.
  requestPrefixes: [
    `${api}/auth.test`,
    `${api}/conversations.list`,
    `${api}/conversations.info`,
    `${api}/conversations.history`,
    `${api}/conversations.replies`,
    `${api}/users.list`,
    `${api}/users.info`,
    `${api}/search.messages`,
  ],
  requestHeaders: [],
  pathTemplates: ["/api/{method}"],
  registrationUrl: "https://api.slack.com/apps",
  removalUrl: "https://slack.com/apps/manage",
  quirks: {
    scopeParameter: { name: "user_scope", separator: "," },
    readTokens,
    readAccount({ ok, user_id: id, team_id: teamId, user, team }) {
      if (ok !== true || typeof id !== "string" || typeof teamId !== "string") return undefined;
      const names = [user, team].filter((name): name is string => typeof name === "string" && name !== "");
      return { subject: `${teamId}/${id}`, label: names.join(" · ") || id };
    },
    revocation,
  },
};

/** Errors have status 200; the token of the person is nested, beside the one of the app's bot. */
function readTokens(answer: JsonObject): JsonObject {
  if (answer["ok"] !== true) {
    const { error } = answer;
    if (deadGrants.has(error)) return { error: "invalid_grant", error_description: error };
    if (refusedClients.has(error)) return { error: "invalid_client", error_description: error };
    return { error: typeof error === "string" ? error : "invalid_answer" };
  }
  const person = answer["authed_user"];
  const nested = isJsonObject(person) && person["access_token"] !== undefined ? person : undefined;
  const tokens = nested ?? answer;
  // A refresh answers without that level. A bot's token there is no person's.
  if (nested === undefined && tokens["token_type"] !== "user") {
    return { error: "no_user_token", error_description: "The app was installed without user scopes." };
  }
  const { access_token, refresh_token, expires_in, scope } = tokens;
  return {
    access_token,
    token_type: "bearer",
    ...(refresh_token !== undefined && { refresh_token }),
    ...(expires_in !== undefined && { expires_in }),
    ...(typeof scope === "string" && { scope: scope.split(",").join(" ") }),
  };
}

/** Revokes one token; each has to be revoked by itself. */
function revocation({ value }: RevocableToken, endpoint: string): RevocationRequest {
  return {
    url: endpoint,
    method: "POST",
    headers: { authorization: `Bearer ${value}`, "content-type": "application/x-www-form-urlencoded" },
    body: "",
    isConfirmed: (status, answer) =>
      status === 200 &&
      (answer?.["ok"] === true ? answer["revoked"] === true : deadTokens.has(answer?.["error"])),
  };
}
