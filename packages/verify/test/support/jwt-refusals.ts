import type { AuthzErrorReason } from "@authz/verify";
import type { JwtDraft } from "./jwt.js";
import { issuer, otherKey } from "./world.js";

const statusListUri = `${issuer}/oauth/status`;

/** One change to a JWT that was right, and the reason it is refused for. */
export interface JwtRefusal {
  readonly name: string;
  readonly change: (draft: JwtDraft) => void;
  readonly reason: AuthzErrorReason;
}

const set =
  (claim: string, value: unknown) =>
  (draft: JwtDraft): void =>
    void (draft.claims[claim] = value);
const drop =
  (claim: string) =>
  (draft: JwtDraft): void =>
    void delete draft.claims[claim];
const setHeader =
  (member: string, value: unknown) =>
  (draft: JwtDraft): void =>
    void (draft.header[member] = value);
const changeText =
  (change: (text: string) => string) =>
  (draft: JwtDraft): void =>
    void (draft.changeText = change);

export const changes = { set, drop, setHeader, changeText };

/** What every kind of JWT is refused for: its form, its header and its signature. */
export const formRefusals: readonly JwtRefusal[] = [
  { name: "is not a JWT", change: changeText(() => "opaque"), reason: "jwt_malformed" },
  { name: "has four segments", change: changeText((text) => `${text}.e30`), reason: "jwt_malformed" },
  { name: "has five segments", change: changeText((text) => `${text}.e30.e30`), reason: "jwt_malformed" },
  { name: "has padding", change: changeText((text) => `${text}=`), reason: "jwt_malformed" },
  {
    name: "has no signature",
    change: changeText((text) => text.slice(0, text.lastIndexOf(".") + 1)),
    reason: "jwt_malformed",
  },
  {
    name: "has a duplicate claim",
    change: (draft) => {
      draft.claimsJson = `{"sub":"admin",${JSON.stringify(draft.claims).slice(1)}`;
    },
    reason: "jwt_malformed",
  },
  {
    name: "starts its claims with a byte order mark",
    change: (draft) => {
      draft.claimsJson = `\uFEFF${JSON.stringify(draft.claims)}`;
    },
    reason: "jwt_malformed",
  },
  { name: "is signed with nothing", change: setHeader("alg", "none"), reason: "jwt_malformed" },
  { name: "claims another algorithm", change: setHeader("alg", "RS256"), reason: "jwt_malformed" },
  { name: "has no algorithm", change: setHeader("alg", undefined), reason: "jwt_malformed" },
  { name: "has a critical extension", change: setHeader("crit", ["exp"]), reason: "jwt_malformed" },
  { name: "has an unencoded payload", change: setHeader("b64", false), reason: "jwt_malformed" },
  { name: "has no type", change: setHeader("typ", undefined), reason: "jwt_type" },
  { name: "is of the general type", change: setHeader("typ", "JWT"), reason: "jwt_type" },
  { name: "is a proof", change: setHeader("typ", "dpop+jwt"), reason: "jwt_type" },
  { name: "names no key", change: setHeader("kid", undefined), reason: "jwt_key_id" },
  { name: "has a key identifier that is no string", change: setHeader("kid", 1), reason: "jwt_key_id" },
  { name: "names an unknown key", change: setHeader("kid", "unknown"), reason: "jwt_unknown_key" },
  {
    name: "is signed with another key",
    change: (draft) => {
      draft.key = otherKey;
    },
    reason: "jwt_signature",
  },
  {
    name: "brings its own key",
    change: (draft) => {
      draft.key = otherKey;
      draft.header["jwk"] = otherKey.publicJwk;
    },
    reason: "jwt_signature",
  },
  {
    name: "was changed after it was signed",
    change: changeText((text) => {
      const [header, claims = "", signature] = text.split(".");
      const changed = Buffer.from(claims, "base64url").toString().replace('"exp":', '"admin":true,"exp":');
      return [header, Buffer.from(changed).toString("base64url"), signature].join(".");
    }),
    reason: "jwt_signature",
  },
];

/** What every kind of JWT is refused for in its times, with its own longest life. */
export function lifetimeRefusals(nowSeconds: number, maximumSeconds: number): readonly JwtRefusal[] {
  return [
    { name: "has no end", change: drop("exp"), reason: "jwt_dates" },
    { name: "has no beginning", change: drop("iat"), reason: "jwt_dates" },
    { name: "ends at a string", change: set("exp", String(nowSeconds + 60)), reason: "jwt_dates" },
    { name: "ends at a fraction", change: set("exp", nowSeconds + 0.5), reason: "jwt_dates" },
    { name: "began before 1970", change: set("iat", -1), reason: "jwt_dates" },
    { name: "is not valid before a string", change: set("nbf", "now"), reason: "jwt_dates" },
    { name: "has ended this second", change: set("exp", nowSeconds), reason: "jwt_expired" },
    {
      name: "ended long ago",
      change: (draft) => {
        Object.assign(draft.claims, { iat: nowSeconds - 3600, exp: nowSeconds - 3540 });
      },
      reason: "jwt_expired",
    },
    {
      name: "was made in the future",
      change: (draft) => {
        Object.assign(draft.claims, { iat: nowSeconds + 31, exp: nowSeconds + 60 });
      },
      reason: "jwt_not_yet_valid",
    },
    { name: "is not valid yet", change: set("nbf", nowSeconds + 31), reason: "jwt_not_yet_valid" },
    { name: "lives too long", change: set("exp", nowSeconds + maximumSeconds + 1), reason: "jwt_lifetime" },
    {
      name: "ends before it begins",
      change: (draft) => {
        Object.assign(draft.claims, { iat: nowSeconds + 20, exp: nowSeconds + 10 });
      },
      reason: "jwt_lifetime",
    },
  ];
}

/** Identifiers that are refused in every claim that holds one. */
export function identifierRefusals(
  claim: string,
  reason: AuthzErrorReason,
  maximum = 256,
): readonly JwtRefusal[] {
  return [
    { name: `has no ${claim}`, change: drop(claim), reason },
    { name: `has an empty ${claim}`, change: set(claim, ""), reason },
    { name: `has a ${claim} that is no string`, change: set(claim, 7), reason },
    {
      name: `has a ${claim} of ${maximum + 1} characters`,
      change: set(claim, "x".repeat(maximum + 1)),
      reason,
    },
    { name: `has a ${claim} with a line break`, change: set(claim, "a\nb"), reason },
  ];
}

/** Confirmations that are refused wherever a JWT is bound to a key. */
export const confirmationRefusals: readonly JwtRefusal[] = [
  { name: "is bound to null", change: set("cnf", null), reason: "jwt_confirmation" },
  { name: "is bound to nothing", change: set("cnf", {}), reason: "jwt_confirmation" },
  { name: "is bound to a list", change: set("cnf", ["jkt"]), reason: "jwt_confirmation" },
  { name: "is bound to a short thumbprint", change: set("cnf", { jkt: "abc" }), reason: "jwt_confirmation" },
  {
    name: "is bound to a certificate as well",
    change: (draft) => {
      draft.claims["cnf"] = { ...(draft.claims["cnf"] as object), "x5t#S256": "abc" };
    },
    reason: "jwt_confirmation",
  },
];

/** Actors that are refused wherever a JWT names one. */
export const actorRefusals: readonly JwtRefusal[] = [
  { name: "has the actor null", change: set("act", null), reason: "jwt_actor" },
  { name: "has an actor that is a string", change: set("act", "authz-cli"), reason: "jwt_actor" },
  { name: "has an actor without a subject", change: set("act", {}), reason: "jwt_actor" },
  { name: "has an actor whose subject is empty", change: set("act", { sub: "" }), reason: "jwt_actor" },
  { name: "has an actor whose subject is a list", change: set("act", { sub: ["a"] }), reason: "jwt_actor" },
  {
    name: "has an actor of another issuer",
    change: set("act", { sub: "authz-cli", iss: "https://evil.example" }),
    reason: "jwt_actor",
  },
];

const entry = { idx: 7, uri: statusListUri };

/** References to a status that are refused wherever a JWT has one. */
export const statusRefusals: readonly JwtRefusal[] = [
  { name: "has the status null", change: set("status", null), reason: "jwt_status" },
  { name: "has a status of another kind", change: set("status", { oracle: entry }), reason: "jwt_status" },
  {
    name: "has a list as its status list",
    change: set("status", { status_list: [entry] }),
    reason: "jwt_status",
  },
  {
    name: "names the status list of another address",
    change: set("status", { status_list: { ...entry, uri: "https://evil.example/oauth/status" } }),
    reason: "jwt_status",
  },
  {
    name: "names a part of the status list",
    change: set("status", { status_list: { ...entry, uri: `${statusListUri}?part=1` } }),
    reason: "jwt_status",
  },
  { name: "names no status list", change: set("status", { status_list: { idx: 7 } }), reason: "jwt_status" },
  {
    name: "names no entry of the status list",
    change: set("status", { status_list: { uri: statusListUri } }),
    reason: "jwt_status",
  },
  ...[-1, 0.5, "7", 2 ** 53, null].map((idx): JwtRefusal => {
    const change = set("status", { status_list: { ...entry, idx } });
    return {
      name: `names the entry ${JSON.stringify(idx)} of the status list`,
      change,
      reason: "jwt_status",
    };
  }),
];

/** Malformed scopes. */
export const scopeRefusals: readonly JwtRefusal[] = [
  { name: "has no scope", change: drop("scope"), reason: "jwt_scope" },
  { name: "has scopes as a list", change: set("scope", ["contracts:read"]), reason: "jwt_scope" },
  { name: "has two spaces", change: set("scope", "contracts:read  contracts:write"), reason: "jwt_scope" },
  { name: "has a quotation mark in a scope", change: set("scope", 'contracts:"read"'), reason: "jwt_scope" },
  { name: "has too many scopes", change: set("scope", "x ".repeat(2049).trim()), reason: "jwt_scope" },
];
