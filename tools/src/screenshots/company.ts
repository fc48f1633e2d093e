import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { developmentRegistry } from "../development/registry.js";
import type { DevelopmentSecrets } from "../development/secrets.js";
import { originOf, type Settings } from "../development/settings.js";

const partners = {
  key: "partners",
  name: "Partners",
  issuer: "https://id.partner.example",
  clientId: "authz",
  clientSecret: "not used",
  scopes: ["openid", "profile", "email"],
  allowedEmailDomains: ["partner.example"],
};

/** A second provider, so that people choose where they sign in. */
export const partnersRegistry: object = { providers: [{ ...partners, enabled: true }] };

const connectors = [
  {
    key: "github",
    name: "GitHub",
    kind: "github",
    clientId: "Ov23liAcmeAuthz",
    clientSecret: "not used",
    requiredScopes: ["contracts:read"],
  },
  {
    key: "calendar",
    name: "Calendar",
    kind: "google",
    clientId: "acme-authz.apps.example",
    clientSecret: "not used",
    methods: ["GET", "HEAD"],
    enabled: false,
  },
];

/** The registration of the development system and more: groups, a service that does not answer, a machine, a skill of Acme's own. */
export async function companyRegistry(settings: Settings, secrets: DevelopmentSecrets): Promise<object> {
  const base = developmentRegistry(settings, secrets);
  // Nothing listens here, so its catalog fails.
  const silent = `http://127.0.0.1:${settings.ports.fastify + 2}`;
  const nightly: Es256KeyPair = await generateEs256KeyPair();
  return {
    installation: { name: "Acme" },
    providers: [
      { ...base.providers[0], scopes: ["openid", "profile", "email", "groups"] },
      { ...partners, enabled: false },
    ],
    groupProviders: [{ key: "acme-groups", name: "Acme groups", type: "claim", provider: "acme" }],
    scopes: [
      ...base.scopes,
      { key: "invoices:read", description: "Read invoices" },
      { key: "invoices:approve", description: "Approve invoices up to 10,000 €" },
    ],
    resources: [
      ...base.resources,
      {
        key: "invoices",
        name: "Invoices",
        resource: `${silent}/api`,
        authorizationServer: silent,
        clientId: "authz-cli",
        requestPrefixes: [`${silent}/api`],
        scopes: ["invoices:read", "invoices:approve"],
        skillDiscovery: true,
      },
    ],
    connectors,
    machineClients: [
      {
        id: "nightly-export",
        name: "Nightly export",
        keys: [{ kid: "export-1", ...nightly.publicJwk }],
        scopes: ["contracts:read"],
      },
    ],
    skills: [
      {
        id: "first-day",
        title: "What to do on the first day",
        description: "For agents that help somebody new at Acme.",
        tags: ["start"],
        requiredScopes: ["contracts:read"],
        visibility: "DEFAULT",
        content: firstDay(settings),
      },
    ],
    assignments: [
      { email: "ada@acme.example", scopes: ["authz:login", "contracts:read"] },
      { email: "bruno@acme.example", scopes: ["authz:login", "authz:administer"] },
      { email: "ines@acme.example", scopes: ["authz:administer"] },
      { email: "oskar@acme.example", scopes: ["invoices:read"] },
      { group: { provider: "acme-groups", key: "platform" }, scopes: ["authz:login", "contracts:read"] },
      {
        group: { provider: "acme-groups", key: "legal" },
        scopes: ["authz:login", "contracts:read", "contracts:write"],
      },
      {
        group: { provider: "acme-groups", key: "finance" },
        scopes: ["authz:login", "invoices:read", "invoices:approve"],
      },
      { group: { provider: "acme-groups", key: "sales" }, scopes: ["authz:login"] },
    ],
  };
}

/** The port of the service that is not registered yet. */
export function newServicePort(settings: Settings): number {
  return settings.ports.mcp + 10;
}

function firstDay(settings: Settings): string {
  return `# The first day

List the contracts your team is responsible for:

    authz request --scope contracts:read ${originOf(settings, "express")}/api/contracts

1. Group them by **customer**.
2. Name the three that end first.
3. Ask before you change anything. Changing needs \`contracts:write\`.
`;
}
