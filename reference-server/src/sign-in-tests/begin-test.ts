import { randomUUID } from "node:crypto";
import { cleanLine } from "@authz/skills/invisible";
import { signInTestRow } from "../platform/vault/rows.js";
import { createSecret } from "../protocol/secrets.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { SignInProbe } from "../registry/probes/probe-sign-in.js";
import type { ProbedProvider } from "../registry/probes/probed-provider.js";
import { SignInFault, type TestResult } from "../registry/probes/sign-in-checks.js";
import { notFound } from "../registry/refusal.js";
import type { Work } from "../registry/work.js";
import { attemptSecrets } from "../sign-in/browser.js";
import type { ProviderClaims } from "../sign-in/identity.js";
import type { IdentityProvider } from "../store/identity-providers.js";

/** A prepared test that is not stored yet. */
interface PreparedTest {
  readonly id: string;
  readonly provider: ProbedProvider;
  readonly state: string;
  readonly browserSecret: string;
  /** Where the browser goes; `undefined`: it failed before that. */
  readonly url: URL | undefined;
  readonly result: SignInTestResult | undefined;
}

/** Prepares a sign-in at the provider. Stores nothing, so it can run before a transaction. */
export async function prepareTest(
  { provider, browserSecret }: { readonly provider: ProbedProvider; readonly browserSecret: string },
  probe: SignInProbe,
): Promise<PreparedTest> {
  const state = createSecret();
  const prepared = { id: randomUUID(), provider, state, browserSecret };
  try {
    const url = await probe.begin({ provider, state, browserSecret });
    return { ...prepared, url, result: undefined };
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error;
    return { ...prepared, url: undefined, result: { ...error.result, claims: [] } };
  }
}

interface TestOwner {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Stores a test, so that one callback in this browser and this session can finish it; one that has failed is finished already.
 *
 * @throws {Refusal} `not_found`: the session has ended meanwhile.
 */
export async function storeTest(
  { id, provider, state, browserSecret, result }: PreparedTest,
  {
    stored,
    owner,
    withChanges,
  }: { readonly stored: IdentityProvider; readonly owner: TestOwner; readonly withChanges: boolean },
  { store, credentials, at, audit }: Work,
): Promise<void> {
  const { stateHash, browserHash } = attemptSecrets(browserSecret, state);
  const { key } = stored;
  const inserted = await store.signInTests.insert({
    id,
    stateHash,
    browserHash,
    providerId: stored.id,
    ...owner,
    settings: await credentials.seal(JSON.stringify(provider), signInTestRow(id)),
    withChanges,
    createdAt: at,
    expiresAt: new Date(at.getTime() + lifetimes.signInAttempt * 1000),
  });
  if (!inserted) throw notFound("signInTest");
  await audit({ type: "provider.test_started", data: { key, test: id, changes: withChanges } });
  if (result === undefined) return;
  await store.signInTests.finish({ id, passed: false, result: { ...result }, settings: nothing, now: at });
  const { fault } = result;
  const ended = { key, test: id, changes: withChanges, ...(fault !== undefined && { fault }) };
  await audit({ type: "provider.tested", data: ended });
}

/** A failed test proves nothing about its settings, so they are not stored. */
const nothing = Buffer.alloc(0);

/** How a test sign-in ended, as it is kept. */
export interface SignInTestResult extends TestResult {
  /** The provider's claims, as far as this server reads them. */
  readonly claims: readonly ReceivedClaim[];
  /** Who it would be; absent when a check failed before that was known. */
  readonly person?: { readonly id: string; readonly name: string | null } | null;
  /** Number of groups in the claims; `null`: no claim about groups. */
  readonly groups?: number | null;
  /** A refresh token was wanted, given and accepted. */
  readonly presence?: boolean;
}

interface ReceivedClaim {
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
