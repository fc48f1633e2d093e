import { people } from "../people.js";
import type { DevelopmentSecrets } from "./secrets.js";
import { type SystemSettings, systemOrigin } from "./settings.js";

/** What a person of the development identity provider may do. */
interface Assignment {
  readonly email: string;
  readonly scopes: readonly string[];
}

/** A registry file in the shape that `authz-server apply` takes. */
export interface Registry {
  readonly scopes: readonly { readonly key: string; readonly description: string }[];
  readonly resources: readonly { readonly key: string; readonly [member: string]: unknown }[];
  readonly connectors?: readonly object[];
  readonly assignments: readonly Assignment[];
}

/** What there is before any service is registered: the people. */
export const companyWithoutServices: Registry = {
  scopes: [],
  resources: [],
  assignments: people.map(({ email, scopes }) => ({ email, scopes })),
};

/** What every development system has: its company, its provider, and the application that needs no browser. */
export function withCompany(
  settings: SystemSettings,
  secrets: Pick<DevelopmentSecrets, "idpClientSecret">,
  registry: Registry,
): Registry & { readonly providers: readonly object[] } {
  const company = {
    installation: { name: "Acme" },
    // Developers try apps of their own here, perhaps one that can only register itself.
    apps: { trust: "any", dynamicRegistration: true },
    providers: [
      {
        key: "acme",
        name: "Acme",
        issuer: systemOrigin(settings, "idp"),
        clientId: "authz",
        clientSecret: secrets.idpClientSecret,
        scopes: ["openid", "profile", "email"],
        allowedEmailDomains: ["acme.example"],
        allowsAssertions: true,
      },
    ],
    clients: [
      {
        id: "agent",
        name: "Agent of the company",
        type: "public",
        redirectUris: ["http://127.0.0.1/callback"],
        dpopBound: false,
      },
    ],
  };
  return { ...company, ...registry };
}
