import type { User } from "../../store/users.js";

/** What the granted scopes let a client know about a person. */
export function personClaims(user: User, scopes: readonly string[]): object {
  return {
    ...(scopes.includes("email") && user.email !== null && { email: user.email, email_verified: true }),
    ...(scopes.includes("profile") && user.name !== null && { name: user.name }),
  };
}
