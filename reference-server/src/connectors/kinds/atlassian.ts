import type { JsonObject, Kind } from "./kind.js";

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
  texts: {
    en: {
      description: "Issues in Jira and pages in Confluence Cloud.",
      registration:
        "In the Atlassian developer console, create an “OAuth 2.0 integration”. Enter the callback address under “Authorization”, " +
        "and add the User identity API, the Jira API and the Confluence API with their scopes under “Permissions”. Client id and " +
        "secret are under “Settings”. Atlassian has no way to revoke tokens: after disconnecting, a person removes the " +
        "application there.",
      scopes: {
        offline_access: "Keep the access without asking again",
        "read:me": "Know which account it is",
        "read:jira-work": "Read projects and issues in Jira",
        "read:jira-user": "Read who is who in Jira",
        "read:confluence-content.all": "Read pages in Confluence",
        "search:confluence": "Search in Confluence",
      },
    },
    de: {
      description: "Vorgänge in Jira und Seiten in Confluence Cloud.",
      registration:
        "Legen Sie in der Atlassian Developer Console eine „OAuth 2.0 integration“ an. Tragen Sie die Rückadresse unter " +
        "„Authorization“ ein und fügen Sie unter „Permissions“ die User identity API, die Jira API und die Confluence API mit " +
        "ihren Scopes hinzu. Client-ID und Secret stehen unter „Settings“. Atlassian kann Tokens nicht widerrufen: Nach dem " +
        "Trennen entfernt man die Anwendung dort selbst.",
      scopes: {
        offline_access: "Den Zugriff behalten, ohne erneut zu fragen",
        "read:me": "Wissen, welches Konto es ist",
        "read:jira-work": "Projekte und Vorgänge in Jira lesen",
        "read:jira-user": "Lesen, wer in Jira wer ist",
        "read:confluence-content.all": "Seiten in Confluence lesen",
        "search:confluence": "In Confluence suchen",
      },
    },
  },
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
