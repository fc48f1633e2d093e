import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { developmentRegistry } from "../development/registry.js";
import type { DevelopmentSecrets } from "../development/secrets.js";
import { originOf, type Settings } from "../development/settings.js";

/** A colleague who is in the pictures and does not act in them. */
export interface Colleague {
  readonly name: string;
  readonly email: string;
  readonly groups: readonly string[];
  /** How long ago they signed in: less than a day. */
  readonly hoursAgo: number;
}

export const colleagues: readonly Colleague[] = [
  ["Amira Haddad", ["sales"], 3],
  ["Anton Weiss", ["sales"], 5],
  ["Beatriz Lima", ["finance"], 2],
  ["Daniel Okafor", ["sales"], 12],
  ["Elena Petrova", ["legal"], 6],
  ["Farid Rahimi", ["sales"], 15],
  ["Greta Lindholm", ["finance", "legal"], 8],
  ["Hugo Martin", ["sales"], 21],
  ["Ines Vogel", ["platform"], 1],
  ["Jonas Berg", ["platform"], 4],
  ["Kaori Tanaka", ["sales"], 18],
  ["Liam Murphy", ["legal"], 20],
  ["Mira Stein", ["platform"], 9],
  ["Noor van Dijk", ["sales"], 11],
  ["Oskar Lund", ["finance"], 14],
].map(([name, groups, hoursAgo]) => ({
  name: String(name),
  email: `${String(name).split(" ")[0]?.toLowerCase() ?? ""}@acme.example`,
  groups: groups as readonly string[],
  hoursAgo: Number(hoursAgo),
}));

const partners = {
  key: "partners",
  name: "Partners",
  issuer: "https://id.partner.example",
  clientId: "authz",
  clientSecret: "not used",
  scopes: ["openid", "profile", "email"],
  allowedEmailDomains: ["partner.example"],
};

/** From then on people choose where they sign in. */
export const partnersRegistry: object = { providers: [{ ...partners, enabled: true }] };

/** What the development system has, and more: groups, a service that does not answer, a machine, a skill of Acme's own. */
export async function companyRegistry(settings: Settings, secrets: DevelopmentSecrets): Promise<object> {
  const base = developmentRegistry(settings, secrets);
  // Nothing listens here: its catalog fails.
  const nobody = originOf(
    { ...settings, ports: { ...settings.ports, express: silentPort(settings) } },
    "express",
  );
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
        resource: `${nobody}/api`,
        authorizationServer: nobody,
        clientId: "authz-cli",
        requestPrefixes: [`${nobody}/api`],
        scopes: ["invoices:read", "invoices:approve"],
        skillDiscovery: true,
      },
    ],
    connectors: [
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
    ],
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

/** The address of the service that is down. */
function silentPort(settings: Settings): number {
  return settings.ports.fastify + 2;
}

/** The address of the service that nobody has registered yet. */
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
