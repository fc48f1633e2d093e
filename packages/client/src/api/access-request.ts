import type { JsonFields } from "../transport/json-fields.js";

/** What the person asked administrators for, and what happened to it. */
export interface AccessRequest {
  id: string;
  state: "pending" | "approved" | "declined" | "withdrawn";
  scopes: readonly string[];
  /** The part that was granted. */
  grantedScopes: readonly string[];
  /** When it ends, as ISO 8601; undefined when it was granted for good, or not at all. */
  until: string | undefined;
  /** The administrator's note. */
  note: string | undefined;
}

const states = ["pending", "approved", "declined", "withdrawn"] as const;

/** @throws {AuthzClientError} `invalid_answer` */
export function parseAccessRequest(fields: JsonFields): AccessRequest {
  const state = fields.oneOf("state", states);
  return {
    id: fields.string("id"),
    state: states.find((one) => one === state) ?? "pending",
    scopes: fields.scopes("scopes"),
    grantedScopes: fields.optionalScopes("grantedScopes"),
    until: fields.optionalTimestamp("until"),
    note: fields.optionalString("note"),
  };
}
