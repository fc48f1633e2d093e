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
  requestHeaders: [],
  pathTemplates: [],
  registrationUrl: null,
  removalUrl: null,
  quirks: {},
};
