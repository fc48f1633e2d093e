/** Kinds of OpenID providers, with the values common to all of their customers; the same as in the installer. */
export const presets = {
  google: {
    name: "Google",
    issuer: "https://accounts.google.com",
    documentation: "https://developers.google.com/identity/openid-connect/openid-connect",
  },
  entra: {
    name: "Microsoft Entra ID",
    issuer: "https://login.microsoftonline.com/{tenant id}/v2.0",
    documentation: "https://learn.microsoft.com/entra/identity-platform/quickstart-register-app",
  },
  okta: {
    name: "Okta",
    issuer: "https://{your organization}.okta.com",
    documentation: "https://developer.okta.com/docs/guides/sign-into-web-app-redirect/",
  },
  keycloak: {
    name: "Keycloak",
    issuer: "https://{host}/realms/{realm}",
    documentation: "https://www.keycloak.org/docs/latest/server_admin/#_oidc_clients",
  },
  auth0: {
    name: "Auth0",
    issuer: "https://{tenant}.auth0.com/",
    documentation: "https://auth0.com/docs/get-started/applications",
  },
  other: { name: undefined, issuer: "", documentation: undefined },
} as const;

export type PresetKey = keyof typeof presets;

export const presetKeys = Object.keys(presets) as PresetKey[];

interface Named {
  readonly key: string;
  readonly name: string;
  readonly issuer: string;
}

/** Fills in the values of a kind, except where a field was changed since the previous kind filled it in. */
export function fillIn(values: Named, from: PresetKey, to: PresetKey): Named {
  const chosen = presets[to];
  const before = presets[from];
  const isUntouched = (text: string, filled: string) => text === "" || text === filled;
  return {
    key: isUntouched(values.key, keyOf(from)) ? keyOf(to) : values.key,
    name: isUntouched(values.name, before.name ?? "") ? (chosen.name ?? "") : values.name,
    issuer: isUntouched(values.issuer, before.issuer) ? chosen.issuer : values.issuer,
  };
}

function keyOf(preset: PresetKey): string {
  return preset === "other" ? "" : preset;
}
