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
  texts: {
    en: {
      description: "Files, calendars and mail of a Google account.",
      registration:
        "In the Google Cloud console, choose a project, switch on the APIs that agents shall use, and create an OAuth client " +
        "of the type “Web application”. Enter the callback address as an authorised redirect URI. An application for your own " +
        "organisation is of the user type “Internal”; otherwise Google checks it before it may ask for mail or files.",
      scopes: {
        openid: "Know which account it is",
        email: "See the e-mail address",
        [`${api}/drive.readonly`]: "See and download all files in Google Drive",
        [`${api}/calendar.readonly`]: "See calendars and their events",
        [`${api}/gmail.readonly`]: "Read all mail",
      },
    },
    de: {
      description: "Dateien, Kalender und E-Mails eines Google-Kontos.",
      registration:
        "Wählen Sie in der Google Cloud Console ein Projekt, schalten Sie die APIs ein, die Agenten benutzen sollen, und legen " +
        "Sie einen OAuth-Client vom Typ „Webanwendung“ an. Tragen Sie die Rückadresse als autorisierten Weiterleitungs-URI ein. " +
        "Eine Anwendung für die eigene Organisation hat den Nutzertyp „Intern“; sonst prüft Google sie, bevor sie nach E-Mails " +
        "oder Dateien fragen darf.",
      scopes: {
        openid: "Wissen, welches Konto es ist",
        email: "Die E-Mail-Adresse sehen",
        [`${api}/drive.readonly`]: "Alle Dateien in Google Drive sehen und herunterladen",
        [`${api}/calendar.readonly`]: "Kalender und ihre Termine sehen",
        [`${api}/gmail.readonly`]: "Alle E-Mails lesen",
      },
    },
  },
  quirks: {
    implies: (granted, scope) => granted.has(longNames.get(scope) ?? scope),
  },
};
