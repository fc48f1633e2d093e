import { serviceTitles } from "./programs.js";
import type { DevelopmentSecrets } from "./secrets.js";
import { originOf, type Settings, serviceKeys } from "./settings.js";

/** The people of the development identity provider, what they are given, and that in words. */
export const people = [
  {
    name: "Ada Lovelace",
    email: "ada@acme.example",
    scopes: ["authz:login", "contracts:read"],
    may: "use the command line, read contracts",
  },
  {
    name: "Bruno Keller",
    email: "bruno@acme.example",
    scopes: ["authz:login", "authz:administer"],
    may: "use the command line, administer",
  },
  { name: "Clara Nowak", email: "clara@acme.example", scopes: [], may: "nothing yet" },
] as const;

/** The registration of everything in the development system, in the shape that `authz-server apply` takes. */
export function developmentRegistry(
  settings: Settings,
  secrets: Pick<DevelopmentSecrets, "idpClientSecret">,
): object {
  const scopes = ["contracts:read", "contracts:write"];
  return {
    installation: { name: "Acme" },
    providers: [
      {
        key: "acme",
        name: "Acme",
        issuer: originOf(settings, "idp"),
        clientId: "authz",
        clientSecret: secrets.idpClientSecret,
        scopes: ["openid", "profile", "email"],
        allowedEmailDomains: ["acme.example"],
      },
    ],
    scopes: [
      { key: "contracts:read", description: "Read contracts" },
      { key: "contracts:write", description: "Create and change contracts" },
    ],
    resources: serviceKeys.map((key) => ({
      key: `contracts-${key}`,
      name: serviceTitles[key],
      resource: `${originOf(settings, key)}/api`,
      authorizationServer: originOf(settings, key),
      clientId: "authz-cli",
      requestPrefixes: [`${originOf(settings, key)}/api`],
      scopes,
      skillDiscovery: true,
    })),
    assignments: people
      .filter((person) => person.scopes.length > 0)
      .map(({ email, scopes: granted }) => ({ email, scopes: granted })),
  };
}
