import type { Kind } from "./kind.js";

/** Any other third party that keeps to the standards. */
export const oauth2: Kind = {
  kind: "oauth2",
  name: "OAuth 2.0",
  endpoints: {
    issuer: null,
    authorizationEndpoint: null,
    tokenEndpoint: null,
    revocationEndpoint: null,
    accountEndpoint: null,
    tokenEndpointAuthMethod: "client_secret_basic",
  },
  authorizationParameters: {},
  scopes: [],
  requestPrefixes: [],
  pathTemplates: [],
  registrationUrl: null,
  removalUrl: null,
  texts: {
    en: {
      description: "Any service that speaks OAuth 2.0 or OpenID Connect, such as one of your own.",
      registration:
        "Register a confidential client for the authorization code flow at the service, with the callback address as its " +
        "redirect URI. Refresh tokens keep a connection alive: OpenID providers give them for the scope offline_access.",
      scopes: {},
    },
    de: {
      description: "Jeder Dienst, der OAuth 2.0 oder OpenID Connect spricht, auch ein eigener.",
      registration:
        "Registrieren Sie beim Dienst einen vertraulichen Client für den Authorization-Code-Ablauf, mit der Rückadresse als " +
        "Redirect-URI. Refresh-Tokens halten eine Verbindung am Leben: OpenID-Anbieter geben sie für den Scope offline_access.",
      scopes: {},
    },
  },
  quirks: {},
};
