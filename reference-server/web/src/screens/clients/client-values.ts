import type { Client, ClientPatch, NewClient } from "@admin/clients";
import { ApiError, type FieldProblem } from "../../api/api-error";
import { type KeyFault, readKeys } from "./read-keys";

export const clientTypes = ["machine", "public", "confidential"] as const;
export type ClientType = (typeof clientTypes)[number];

/** A client as a form has it: what its type does not have stays empty. */
export interface ClientValues {
  readonly type: ClientType;
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** One text per key, as it was pasted. */
  readonly keys: readonly string[];
  readonly dpopBound: boolean;
  /** Whether it is never given more than its ceiling. */
  readonly limited: boolean;
  readonly ceiling: readonly string[];
  readonly scopes: readonly string[];
  readonly enabled: boolean;
}

export function emptyClient(type: ClientType): ClientValues {
  const lists = { redirectUris: [""], keys: [""], scopes: [], ceiling: [] };
  return { type, id: "", name: "", ...lists, dpopBound: true, limited: false, enabled: true };
}

export function toClientValues(client: Client): ClientValues {
  const { type, id, name, redirectUris, dpopBound, scopes, enabled } = client;
  const keys = client.keys.map((key) => JSON.stringify(key));
  return { type, id, name, redirectUris, keys, dpopBound, ...toLimits(client), scopes, enabled };
}

/** A ceiling as a form has it: a switch, and what it names. */
export function toLimits({ ceiling }: Pick<Client, "ceiling">): Pick<ClientValues, "limited" | "ceiling"> {
  return { limited: ceiling !== null, ceiling: ceiling ?? [] };
}

export function fromLimits({ limited, ceiling }: Pick<ClientValues, "limited" | "ceiling">): string[] | null {
  return limited ? [...ceiling] : null;
}

/** Whether clients of this type prove who they are. */
export function hasKeys(type: ClientType): boolean {
  return type !== "public";
}

interface Sendable {
  readonly body: NewClient;
  readonly faults: readonly FieldProblem[];
}

/** What is sent, and what is wrong with the keys: those are read here, so that no private key ever leaves the page. */
export function fromClientValues(values: ClientValues, words: (fault: KeyFault) => string): Sendable {
  const { type, id, name, scopes, dpopBound, enabled } = values;
  const { keys, faults } = hasKeys(type) ? readKeys(values.keys) : { keys: [], faults: [] };
  const redirectUris = values.redirectUris.map((line) => line.trim()).filter((line) => line !== "");
  const body: NewClient =
    type === "machine"
      ? { type, id, name, keys, scopes: [...scopes], enabled }
      : {
          type,
          id,
          name,
          redirectUris,
          dpopBound,
          ceiling: fromLimits(values),
          enabled,
          ...(hasKeys(type) && { keys }),
        };
  return {
    body,
    faults: faults.map(({ index, fault }) => ({ path: `keys.${index}`, message: words(fault) })),
  };
}

/** The same for a client that exists: its id and its type stay. */
export function toClientPatch({ id: _id, type: _type, ...body }: NewClient): ClientPatch {
  return body;
}

/**
 * Sends a client; when a key is none, asks the server about everything else, without any key. Without one it refuses in
 * any case.
 *
 * @throws {ApiError}
 */
export async function sendClient(
  { body, faults }: Sendable,
  send: (body: NewClient) => Promise<unknown>,
): Promise<unknown> {
  if (faults.length === 0) return await send(body);
  try {
    return await send({ ...body, keys: [] });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    const { status, code, description } = error;
    const others = error.fields.filter(({ path }) => path !== "keys");
    throw new ApiError({ status, code, description, fields: [...others, ...faults] });
  }
}
