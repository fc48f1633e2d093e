import { ReadableError } from "./readable-error.js";

/** The people of the development identity provider, and what each may do before any service is registered. */
export const people = [
  { id: "ada", name: "Ada Lovelace", email: "ada@acme.example", scopes: ["authz:login", "authz:agents"] },
  {
    id: "bruno",
    name: "Bruno Keller",
    email: "bruno@acme.example",
    scopes: ["authz:login", "authz:agents", "authz:administer"],
  },
  { id: "clara", name: "Clara Nowak", email: "clara@acme.example", scopes: ["authz:login", "authz:agents"] },
] as const;

export type PersonId = (typeof people)[number]["id"];

/**
 * Checks who was typed.
 *
 * @throws {ReadableError} Nobody has such a name.
 */
export function parsePeople(typed: readonly string[]): readonly PersonId[] {
  return typed.map((text) => {
    const found = people.find(({ id, email }) => id === text.toLowerCase() || email === text.toLowerCase());
    if (found === undefined) {
      const names = people.map(({ id }) => id).join(", ");
      throw new ReadableError(`Nobody here is called ${text}.\nAvailable: ${names}.`);
    }
    return found.id;
  });
}
