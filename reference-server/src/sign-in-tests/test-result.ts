import { cleanLine } from "@authz/skills/invisible";
import type { ProviderClaims } from "../sign-in/identity.js";
import type { TestResult } from "../registry/probes/sign-in-checks.js";

/** How a test sign-in ended, as it is kept. */
export interface SignInTestResult extends TestResult {
  /** What the provider said about whoever signed in, as far as this server reads it. */
  readonly claims: readonly ReceivedClaim[];
  /** Who it would be; absent when a check failed before that was known. */
  readonly person?: { readonly id: string; readonly name: string | null } | null;
  /** How many groups the provider named; `null`: it said nothing about groups. */
  readonly groups?: number | null;
}

export interface ReceivedClaim {
  readonly name: string;
  readonly value: string;
}

const shownClaims = [
  "sub",
  "email",
  "email_verified",
  "xms_edov",
  "hd",
  "name",
  "groups",
  "auth_time",
  "amr",
] as const;

const maximumCharacters = 200;
const maximumItems = 20;

/** The claims that this server reads, each as one short text that can be stored and shown. */
export function readClaims(claims: ProviderClaims): readonly ReceivedClaim[] {
  return shownClaims.flatMap((name) => {
    const value = claims[name];
    return value === undefined || value === null ? [] : [{ name, value: describeValue(value) }];
  });
}

function describeValue(value: unknown): string {
  if (!Array.isArray(value)) return plain(value);
  const items = value.slice(0, maximumItems).map(plain).join(", ");
  return value.length > maximumItems ? `${items}, … (${value.length})` : items;
}

function plain(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const clean = cleanLine(text);
  // The cut may leave half of a surrogate pair.
  return clean.length <= maximumCharacters
    ? clean
    : `${clean.slice(0, maximumCharacters).replace(/\p{Cs}$/u, "")}…`;
}
