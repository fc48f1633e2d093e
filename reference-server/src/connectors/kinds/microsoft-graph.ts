import type { Kind } from "./kind.js";

const graph = "https://graph.microsoft.com/";

/** @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow */
export const microsoftGraph: Kind = {
  kind: "microsoft-graph",
  name: "Microsoft Graph",
  endpoints: {
    issuer: "https://login.microsoftonline.com/{tenant id}/v2.0",
    authorizationEndpoint: "https://login.microsoftonline.com/{tenant id}/oauth2/v2.0/authorize",
    tokenEndpoint: "https://login.microsoftonline.com/{tenant id}/oauth2/v2.0/token",
    revocationEndpoint: null,
    accountEndpoint: "https://graph.microsoft.com/oidc/userinfo",
    tokenEndpointAuthMethod: "client_secret_post",
  },
  authorizationParameters: {},
  scopes: [
    { scope: "openid", required: true, byDefault: true },
    { scope: "profile", required: true, byDefault: true },
    { scope: "offline_access", required: true, byDefault: true },
    { scope: "User.Read", required: true, byDefault: true },
    { scope: "Calendars.Read", required: false, byDefault: true },
    { scope: "Files.Read", required: false, byDefault: true },
    { scope: "Mail.Read", required: false, byDefault: false },
  ],
  requestPrefixes: ["https://graph.microsoft.com/v1.0"],
  requestHeaders: ["consistencylevel", "workbook-session-id"],
  pathTemplates: [
    "/v1.0/me",
    "/v1.0/me/messages",
    "/v1.0/me/messages/{message}",
    "/v1.0/me/mailFolders/{folder}/messages",
    "/v1.0/me/events",
    "/v1.0/me/events/{event}",
    "/v1.0/me/calendarView",
    "/v1.0/me/drive/root/children",
    "/v1.0/me/drive/items/{item}",
    "/v1.0/me/drive/items/{item}/content",
    "/v1.0/users/{user}",
  ],
  registrationUrl: "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade",
  removalUrl: "https://myapplications.microsoft.com/",
  quirks: {
    // Scopes of Graph have a long and a short name, and no difference between capitals and small letters.
    implies(granted, scope) {
      const wanted = shortName(scope);
      return [...granted].some((candidate) => shortName(candidate) === wanted);
    },
  },
};

function shortName(scope: string): string {
  return (scope.startsWith(graph) ? scope.slice(graph.length) : scope).toLowerCase();
}
