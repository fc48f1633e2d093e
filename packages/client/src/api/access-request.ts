import type { JsonFields } from "../transport/json-fields.js";

/** What the person asked administrators for, and what became of it. */
export interface AccessRequest {
  id: string;
  state: "pending" | "approved" | "declined" | "withdrawn";
  scopes: readonly string[];
  /** What was given of it. */
  granted: readonly string[];
  /** Until when it was given, as ISO 8601; undefined: for good, or not given. */
  until: string | undefined;
  /** What the administrator says to it. */
  word: string | undefined;
}

const states = ["pending", "approved", "declined", "withdrawn"] as const;

/** @throws {AuthzClientError} `invalid_answer` */
export function parseAccessRequest(fields: JsonFields): AccessRequest {
  const state = fields.oneOf("state", states);
  return {
    id: fields.string("id"),
    state: states.find((one) => one === state) ?? "pending",
    scopes: fields.scopes("scopes"),
    granted: fields.optionalScopes("granted"),
    until: fields.optionalTimestamp("until"),
    word: fields.optionalString("word"),
  };
}
