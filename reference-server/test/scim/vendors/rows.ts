import { expect } from "vitest";
import type { PersonState, ScimClient, ScimServer } from "../scim-client.js";

/**
 * One request of a vendor's published sequence, with what has to come of it. `{name}` in a path or a body is the id that a row before it
 * has kept under this name.
 */
export interface Row {
  /** The vendor's name of the step. */
  readonly step: string;
  readonly send: readonly [method: string, path: string, body?: object];
  readonly status: number;
  /** Members that the answer has, with others or without. */
  readonly answers?: object;
  /** Members that the answer has not. */
  readonly lacks?: readonly string[];
  /** The name under which the answer's `id` is kept. */
  readonly keep?: string;
  /** People by their kept name as the server knows them after the request; `gone`: no longer. */
  readonly people?: Readonly<Record<string, Partial<PersonState> | "gone">>;
}

const scimError = "urn:ietf:params:scim:api:messages:2.0:Error";

/** Sends the rows of one vendor, in their order. */
export function createRowRunner(world: () => { readonly server: ScimServer; readonly client: ScimClient }) {
  const kept = new Map<string, string>();
  const fill = (text: string) =>
    text.replaceAll(/\{([a-z][\w-]*)\}/gi, (whole, name: string) => kept.get(name) ?? whole);
  const filled = <T>(value: T): T => JSON.parse(fill(JSON.stringify(value))) as T;

  return async ({ send, status, answers, lacks = [], keep, people = {} }: Row): Promise<number> => {
    const { server, client } = world();
    const [method, path, body] = send;
    const url = fill(path).replaceAll(" ", "%20").replaceAll('"', "%22");
    const answer = await client.request(method, url, body === undefined ? {} : { body: filled(body) });
    expect([answer.status, answer.status === status ? "" : answer.body]).toEqual([status, ""]);
    if (status >= 400) expect(answer.body).toMatchObject({ schemas: [scimError], status: String(status) });
    if (status === 204) expect(answer.body).toEqual({});
    if (answers !== undefined) expect(answer.body).toMatchObject(filled(answers));
    for (const name of lacks) expect(answer.body).not.toHaveProperty(name);
    if (keep !== undefined) kept.set(keep, String(answer.body["id"]));
    for (const [name, state] of Object.entries(people)) {
      const person = await server.person(kept.get(name) ?? name);
      if (state === "gone") expect([name, person]).toEqual([name, undefined]);
      else expect([name, person]).toMatchObject([name, state]);
    }
    return answer.status;
  };
}

/** A list of this many. */
export function listOf(totalResults: number, ...Resources: readonly object[]): object {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults,
    ...(Resources.length > 0 && { Resources }),
  };
}

/** The ASCII letters as capitals: what PostgreSQL makes of others depends on its locale. */
export function inCapitals(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
}
