import { withCompany } from "../parts.js";
import { mcpTitle, serviceTitles } from "./programs.js";
import type { DevelopmentSecrets } from "./secrets.js";
import { originOf, type Settings, serviceKeys } from "./settings.js";

/** The people of the development identity provider, what they are given, and that in words. */
export const people = [
  {
    name: "Ada Lovelace",
    email: "ada@acme.example",
    scopes: ["authz:login", "authz:agents", "contracts:read"],
    may: "use the command line and agents, read contracts",
  },
  {
    name: "Bruno Keller",
    email: "bruno@acme.example",
    scopes: ["authz:login", "authz:agents", "authz:administer"],
    may: "use the command line and agents, administer",
  },
  { name: "Clara Nowak", email: "clara@acme.example", scopes: [], may: "nothing yet" },
] as const;

/** The registration of everything in the development system, in the shape that `authz-server apply` takes. */
export function developmentRegistry(
  settings: Settings,
  secrets: Pick<DevelopmentSecrets, "idpClientSecret" | "notesClientSecret">,
): ReturnType<typeof withCompany> {
  const scopes = ["contracts:read", "contracts:write"];
  return withCompany(settings, secrets, {
    scopes: [
      { key: "contracts:read", description: "Read contracts" },
      { key: "contracts:write", description: "Create and change contracts" },
    ],
    resources: [
      ...serviceKeys.map((key) => ({
        key: `contracts-${key}`,
        name: serviceTitles[key],
        resource: `${originOf(settings, key)}/api`,
        authorizationServer: originOf(settings, key),
        clientId: "authz-cli",
        requestPrefixes: [`${originOf(settings, key)}/api`],
        scopes,
        skillDiscovery: true,
        authorizationDetailsTypes: [contractDeletion],
      })),
      {
        key: "contracts-mcp",
        name: mcpTitle,
        resource: `${originOf(settings, "mcp")}/mcp`,
        authorizationServer: originOf(settings, "mcp"),
        clientId: "authz-cli",
        requestPrefixes: [`${originOf(settings, "mcp")}/mcp`],
        scopes,
        allowsBearer: true,
      },
    ],
    connectors: [notesConnector(originOf(settings, "notes"), secrets.notesClientSecret)],
    assignments: people
      .filter((person) => person.scopes.length > 0)
      .map(({ email, scopes: granted }) => ({ email, scopes: granted })),
  });
}

/** How the person reads a deletion that the contracts services ask about. */
const contractDeletion = {
  type: "contract_deletion",
  title: { en: "Delete a contract", de: "Einen Vertrag löschen" },
  members: [
    { path: "contract.id", label: { en: "Contract", de: "Vertrag" } },
    { path: "contract.customer", label: { en: "Customer", de: "Kunde" } },
    { path: "contract.status", label: { en: "Status", de: "Status" } },
  ],
};

/** The connector `notes`: what agents may do with an account at this third party. */
export function notesConnector(origin: string, clientSecret: string): object {
  return {
    key: "notes",
    name: "Notes",
    kind: "oauth2",
    issuer: origin,
    authorizationEndpoint: `${origin}/auth`,
    tokenEndpoint: `${origin}/token`,
    revocationEndpoint: `${origin}/token/revocation`,
    accountEndpoint: `${origin}/api/account`,
    clientId: "authz",
    clientSecret,
    scopes: [
      { scope: "notes:read", description: "Read all your notes", required: true },
      { scope: "notes:write", description: "Create and delete notes" },
    ],
    requestPrefixes: [`${origin}/api/notes`],
    methods: ["GET", "POST", "DELETE"],
    pathTemplates: ["/api/notes", "/api/notes/{note}"],
  };
}
