import type { WantedIdentityProvider } from "../registry/identity-provider.js";

/** What a set-up decides: who administers, where people sign in, and what the installation is called. */
export interface Installation {
  readonly installationName: string;
  /** Lower case. */
  readonly administratorEmail: string;
  readonly provider: InstallationProvider;
}

/** The OpenID provider of a set-up. Its client secret is in the clear, so this is never stored or logged as it is. */
interface InstallationProvider extends Omit<WantedIdentityProvider, "key" | "enabled"> {
  /** Default: derived from the name. */
  readonly key: string | undefined;
  /** Text of the sign-in button; `null`: the name. */
  readonly buttonLabel: string | null;
  readonly clientSecret: string | null;
}

/** A kind of OpenID provider, and what is the same for all of its customers. */
export interface Preset {
  readonly key: PresetKey;
  /** `undefined`: the page has a word for it. */
  readonly name: string | undefined;
  /** The issuer; what a customer replaces stands in braces. */
  readonly issuer: string;
  /** Where the vendor describes how an application is registered. */
  readonly documentation: string | undefined;
}

export const presetKeys = ["google", "entra", "okta", "keycloak", "auth0", "other"] as const;

export type PresetKey = (typeof presetKeys)[number];

export const presets: Readonly<Record<PresetKey, Preset>> = {
  google: {
    key: "google",
    name: "Google",
    issuer: "https://accounts.google.com",
    documentation: "https://developers.google.com/identity/openid-connect/openid-connect",
  },
  entra: {
    key: "entra",
    name: "Microsoft Entra ID",
    issuer: "https://login.microsoftonline.com/{tenant id}/v2.0",
    documentation: "https://learn.microsoft.com/entra/identity-platform/quickstart-register-app",
  },
  okta: {
    key: "okta",
    name: "Okta",
    issuer: "https://{your organization}.okta.com",
    documentation: "https://developer.okta.com/docs/guides/sign-into-web-app-redirect/",
  },
  keycloak: {
    key: "keycloak",
    name: "Keycloak",
    issuer: "https://{host}/realms/{realm}",
    documentation: "https://www.keycloak.org/docs/latest/server_admin/#_oidc_clients",
  },
  auth0: {
    key: "auth0",
    name: "Auth0",
    issuer: "https://{tenant}.auth0.com/",
    documentation: "https://auth0.com/docs/get-started/applications",
  },
  other: { key: "other", name: undefined, issuer: "", documentation: undefined },
};

/** What every provider takes. */
export const defaultScopes = ["openid", "profile", "email"] as const;

/** Client authentication methods; empty: by the provider's metadata. */
export const authMethods = ["", "client_secret_basic", "client_secret_post", "none"] as const;

export function readPreset(text: string | undefined): Preset | undefined {
  const key = presetKeys.find((candidate) => candidate === text);
  return key && presets[key];
}

/** An installation file that was refused as a whole; each problem names its place in the file. */
export class InstallFileError extends Error {
  override readonly name = "InstallFileError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Nothing was installed:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** The fields of the form, in their order on the page. */
export const detailFields = [
  "administrator_email",
  "installation_name",
  "name",
  "button_label",
  "issuer",
  "discovery_url",
  "client_id",
  "client_secret",
  "auth_method",
  "scopes",
  "domains",
] as const;

export type DetailField = (typeof detailFields)[number];

/** The form as submitted. The secret is never rendered again. */
export type DetailValues = Readonly<Record<DetailField, string>>;
