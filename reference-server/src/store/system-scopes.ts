import type { Scope } from "./scopes.js";

/** May use the command-line client. Never granted by signing in alone. */
export const loginScope = "authz:login";
/** May administer the installation. */
export const administerScope = "authz:administer";

/** The scopes that exist in every installation. */
export const systemScopes: readonly Scope[] = [
  { key: loginScope, description: "Sign in with the command-line client", system: true },
  { key: administerScope, description: "Administer this installation", system: true },
];
