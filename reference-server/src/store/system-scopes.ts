import type { Scope } from "./scopes.js";

/** May use the command-line client. Never granted by signing in alone. */
export const loginScope = "authz:login";
/** May act through an agent host: the permission to use this server's address for agents. */
export const agentsScope = "authz:agents";
/** May administer the installation. */
export const administerScope = "authz:administer";

/** The scopes that exist in every installation. */
export const systemScopes: readonly Scope[] = [
  { key: loginScope, description: "Sign in with the command-line client", system: true },
  { key: agentsScope, description: "Use services and connections through an agent host", system: true },
  { key: administerScope, description: "Administer this installation", system: true },
];
