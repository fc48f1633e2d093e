import { type AccessRequest, parseAccessRequest } from "../api/access-request.js";
import { JsonFields } from "../transport/json-fields.js";
import type { JsonObject } from "@authz/dpop/jws";
import { invalidAnswer } from "../transport/read-json.js";

/** Whether the person's account at a third party can be used. */
export type ConnectionState = "not_connected" | "connected" | "reconnect_required" | "disconnecting";

const states: readonly ConnectionState[] = [
  "not_connected",
  "connected",
  "reconnect_required",
  "disconnecting",
];

/** A permission at the third party that can be asked for. */
export interface OfferedScope {
  scope: string;
  description: string | undefined;
  /** Cannot be omitted. */
  required: boolean;
  /** Requested unless omitted. */
  byDefault: boolean;
}

/** A third party that an administrator has set up, and the signed-in person's account there if it is linked. */
export interface Connection {
  /** The key of the connector: the name of the connection. */
  connector: string;
  /** What people call the third party. */
  name: string;
  /** `github`, `google`, `oauth2`, … */
  kind: string;
  state: ConnectionState;
  /** Why it must be connected again: `refused`, `expired`, `grant_shrunk`, … */
  reason: string | undefined;
  account: { label: string | undefined };
  /** Permissions that the third party gave. */
  grantedScopes: readonly string[];
  offeredScopes: readonly OfferedScope[];
  /** Absolute addresses; requests through the connection go nowhere else. */
  requestPrefixes: readonly string[];
  methods: readonly string[];
  /** Lower-case names of the request headers that are sent on; no others are. */
  requestHeaders: readonly string[];
  /** Permissions at the authorization server that it requires, and those that the person lacks. */
  requiredScopes: readonly string[];
  missingScopes: readonly string[];
  /** Whether the person can ask administrators for something of those. */
  requestable?: boolean;
  /** What the person asked for and waits for, or what was decided last. */
  request?: AccessRequest;
  /** ISO 8601. */
  connectedAt: string | undefined;
  /** ISO 8601. */
  lastUsedAt: string | undefined;
}

/** An attempt that has begun: someone has to visit the address in a browser, signed in as the same person. */
export interface ConnectionAttempt {
  connector: string;
  id: string;
  url: string;
  /** ISO 8601. */
  expiresAt: string;
}

/** The progress of an attempt. */
export interface ConnectionAttemptResult {
  state: "pending" | "connected" | "failed" | "expired";
  /** Why it failed, as a code and in words. */
  error: string | undefined;
  description: string | undefined;
}

/** Whether the third party has confirmed that the tokens are revoked; `unsupported` when it offers no revocation. */
export type Revocation = "confirmed" | "unconfirmed" | "unsupported";

export function parseConnections(body: JsonObject, from: string): readonly Connection[] {
  return new JsonFields(body, from).objects("items").map(connectionOf);
}

export function parseConnection(body: JsonObject, from: string): Connection {
  return connectionOf(new JsonFields(body, from));
}

function connectionOf(fields: JsonFields): Connection {
  const requestable = fields.optionalBoolean("requestable");
  const request = fields.optionalObject("request");
  return {
    connector: fields.key("connector"),
    name: fields.string("name"),
    kind: fields.string("kind"),
    state: fields.oneOf("state", states) as ConnectionState,
    reason: fields.optionalString("reason"),
    account: { label: fields.optionalObject("account")?.optionalString("label") },
    grantedScopes: fields.strings("grantedScopes"),
    offeredScopes: fields.objects("offeredScopes").map((offered) => ({
      scope: offered.string("scope"),
      description: offered.optionalString("description"),
      required: offered.boolean("required"),
      byDefault: offered.boolean("byDefault"),
    })),
    requestPrefixes: fields.strings("requestPrefixes"),
    requestHeaders: fields.strings("requestHeaders"),
    methods: fields.strings("methods"),
    requiredScopes: fields.scopes("requiredScopes"),
    missingScopes: fields.scopes("missingScopes"),
    ...(requestable !== undefined && { requestable }),
    ...(request !== undefined && { request: parseAccessRequest(request) }),
    connectedAt: fields.optionalTimestamp("connectedAt"),
    lastUsedAt: fields.optionalTimestamp("lastUsedAt"),
  };
}

/** The address must be one of the authorization server itself: a browser is about to open it. */
export function parseAttempt(body: JsonObject, from: string, connector: string): ConnectionAttempt {
  const fields = new JsonFields(body, from);
  const url = fields.endpoint("url");
  if (new URL(url).origin !== new URL(from).origin)
    throw invalidAnswer(from, '"url" must be an address of the same server.');
  return { connector, id: fields.string("id", 200), url, expiresAt: fields.timestamp("expiresAt") };
}

export function parseAttemptResult(body: JsonObject, from: string): ConnectionAttemptResult {
  const fields = new JsonFields(body, from);
  return {
    state: fields.oneOf("state", [
      "pending",
      "connected",
      "failed",
      "expired",
    ]) as ConnectionAttemptResult["state"],
    error: fields.optionalString("error"),
    description: fields.optionalString("error_description"),
  };
}

export function parseRevocation(body: JsonObject, from: string): Revocation {
  return new JsonFields(body, from).oneOf("revocation", [
    "confirmed",
    "unconfirmed",
    "unsupported",
  ]) as Revocation;
}
