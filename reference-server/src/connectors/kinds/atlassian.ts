import type { JsonObject } from "@authz/dpop/jws";
import type { Kind } from "./kind.js";

/** @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/ */
export const atlassian: Kind = {
  kind: "atlassian",
  name: "Atlassian",
  endpoints: {
    issuer: null,
    authorizationEndpoint: "https://auth.atlassian.com/authorize",
    tokenEndpoint: "https://auth.atlassian.com/oauth/token",
    revocationEndpoint: null,
    accountEndpoint: "https://api.atlassian.com/me",
    tokenEndpointAuthMethod: "client_secret_post",
  },
  authorizationParameters: { audience: "api.atlassian.com", prompt: "consent" },
  scopes: [
    { scope: "offline_access", required: true, byDefault: true },
    { scope: "read:me", required: true, byDefault: true },
    { scope: "read:jira-work", required: false, byDefault: true },
    { scope: "read:jira-user", required: false, byDefault: true },
    { scope: "read:confluence-content.all", required: false, byDefault: false },
    { scope: "search:confluence", required: false, byDefault: false },
  ],
  requestPrefixes: [
    "https://api.atlassian.com/oauth/token/accessible-resources",
    "https://api.atlassian.com/ex/jira",
    "https://api.atlassian.com/ex/confluence",
  ],
  requestHeaders: ["x-atlassian-token", "x-experimentalapi"],
  pathTemplates: [
    "/oauth/token/accessible-resources",
    "/ex/jira/{cloud}/rest/api/3/issue/{issue}",
    "/ex/jira/{cloud}/rest/api/3/issue/{issue}/comment",
    "/ex/jira/{cloud}/rest/api/3/search/jql",
    "/ex/jira/{cloud}/rest/api/3/project/search",
    "/ex/jira/{cloud}/rest/api/3/project/{project}",
    "/ex/confluence/{cloud}/wiki/rest/api/content/{content}",
    "/ex/confluence/{cloud}/wiki/rest/api/search",
  ],
  registrationUrl: "https://developer.atlassian.com/console/myapps/",
  removalUrl: "https://id.atlassian.com/manage-profile/apps",
  quirks: { readTokens },
};

/** A refresh token that is used up is also reported as `unauthorized_client`, which means something else. */
function readTokens(answer: JsonObject): JsonObject {
  const { error, error_description: description } = answer;
  const usedUp =
    error === "unauthorized_client" &&
    typeof description === "string" &&
    /refresh_token is invalid/i.test(description);
  return usedUp ? { ...answer, error: "invalid_grant" } : answer;
}
