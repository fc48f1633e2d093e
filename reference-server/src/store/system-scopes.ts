import type { Scope } from "./scopes.js";

/** May use the command-line client. Never granted by signing in alone. */
export const loginScope = "authz:login";
/** May act through an agent host: the permission to use this server's address for agents. */
export const agentsScope = "authz:agents";
/** May administer the installation. */
export const administerScope = "authz:administer";
/** May read everything at the administration, and change nothing. */
export const auditScope = "authz:audit";
/** May help people: find them, explain, end their sessions and apps, disable them. */
export const supportScope = "authz:support";

/** The scopes that give a role at the administration. Groups with one of them are flagged there. */
export const roleScopes = [administerScope, auditScope, supportScope] as const;

/** The scopes that exist in every installation. */
export const systemScopes: readonly Scope[] = [
  { key: loginScope, description: "Sign in with the command-line client", system: true },
  { key: agentsScope, description: "Use services and connections through an agent host", system: true },
  { key: administerScope, description: "Administer this installation", system: true },
  {
    key: auditScope,
    description: "Read everything at the administration of this installation",
    system: true,
  },
  { key: supportScope, description: "Help people: end their sessions and apps, disable them", system: true },
];
