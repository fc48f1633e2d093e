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
  texts: {
    en: {
      description: "Mail, calendars and files of a Microsoft 365 account.",
      registration:
        "In the Microsoft Entra admin center, open “App registrations” and register an application of the platform “Web” with " +
        "the callback address as its redirect URI. Create a client secret under “Certificates & secrets”, and add the delegated " +
        "Microsoft Graph permissions under “API permissions”. Put the directory (tenant) id into the addresses here. Microsoft " +
        "has no way to revoke tokens: after disconnecting, a person removes the application there.",
      scopes: {
        openid: "Know which account it is",
        profile: "See the name of the account",
        offline_access: "Keep the access without asking again",
        "User.Read": "Read the profile",
        "Calendars.Read": "Read calendars",
        "Files.Read": "Read files in OneDrive",
        "Mail.Read": "Read mail",
      },
    },
    de: {
      description: "E-Mails, Kalender und Dateien eines Microsoft-365-Kontos.",
      registration:
        "Öffnen Sie im Microsoft Entra Admin Center „App-Registrierungen“ und registrieren Sie eine Anwendung der Plattform " +
        "„Web“ mit der Rückadresse als Umleitungs-URI. Legen Sie unter „Zertifikate & Geheimnisse“ einen geheimen Clientschlüssel " +
        "an und fügen Sie unter „API-Berechtigungen“ die delegierten Berechtigungen von Microsoft Graph hinzu. Setzen Sie die " +
        "Verzeichnis-ID (Mandant) in die Adressen hier ein. Microsoft kann Tokens nicht widerrufen: Nach dem Trennen entfernt " +
        "man die Anwendung dort selbst.",
      scopes: {
        openid: "Wissen, welches Konto es ist",
        profile: "Den Namen des Kontos sehen",
        offline_access: "Den Zugriff behalten, ohne erneut zu fragen",
        "User.Read": "Das Profil lesen",
        "Calendars.Read": "Kalender lesen",
        "Files.Read": "Dateien in OneDrive lesen",
        "Mail.Read": "E-Mails lesen",
      },
    },
  },
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
