import type { Kind } from "./kind.js";

const api = "https://www.googleapis.com/auth";

/** Google answers with the long names of these. */
const longNames: ReadonlyMap<string, string> = new Map([
  ["email", `${api}/userinfo.email`],
  ["profile", `${api}/userinfo.profile`],
]);

/** @see https://developers.google.com/identity/protocols/oauth2/web-server */
export const google: Kind = {
  kind: "google",
  name: "Google",
  endpoints: {
    issuer: "https://accounts.google.com",
    authorizationEndpoint: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenEndpoint: "https://oauth2.googleapis.com/token",
    revocationEndpoint: "https://oauth2.googleapis.com/revoke",
    accountEndpoint: "https://openidconnect.googleapis.com/v1/userinfo",
    tokenEndpointAuthMethod: "client_secret_post",
  },
  // Without both of them Google gives a refresh token at the very first consent only, or never.
  authorizationParameters: { access_type: "offline", prompt: "consent" },
  scopes: [
    { scope: "openid", required: true, byDefault: true },
    { scope: "email", required: true, byDefault: true },
    { scope: `${api}/drive.readonly`, required: false, byDefault: true },
    { scope: `${api}/calendar.readonly`, required: false, byDefault: true },
    { scope: `${api}/gmail.readonly`, required: false, byDefault: false },
  ],
  requestPrefixes: [
    "https://www.googleapis.com/drive/v3",
    "https://www.googleapis.com/calendar/v3",
    "https://gmail.googleapis.com/gmail/v1",
  ],
  requestHeaders: ["x-goog-fieldmask", "x-upload-content-length", "x-upload-content-type"],
  pathTemplates: [
    "/drive/v3/files",
    "/drive/v3/files/{file}",
    "/drive/v3/files/{file}/export",
    "/calendar/v3/users/me/calendarList",
    "/calendar/v3/calendars/{calendar}/events",
    "/calendar/v3/calendars/{calendar}/events/{event}",
    "/gmail/v1/users/{user}/messages",
    "/gmail/v1/users/{user}/messages/{message}",
    "/gmail/v1/users/{user}/threads",
    "/gmail/v1/users/{user}/threads/{thread}",
  ],
  registrationUrl: "https://console.cloud.google.com/auth/clients",
  removalUrl: "https://myaccount.google.com/connections",
  quirks: {
    implies: (granted, scope) => granted.has(longNames.get(scope) ?? scope),
  },
};
