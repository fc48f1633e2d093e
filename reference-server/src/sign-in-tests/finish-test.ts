import { recordAudit } from "../audit/record.js";
import { effectiveScopes } from "../permissions/effective-scopes.js";
import { parseGroupsClaim } from "../protocol/group-names.js";
import { loadPermissions } from "../permissions/load-permissions.js";
import { signInTestRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import { paths } from "../protocol/vocabulary.js";
import { createSignInProbe, type SignInProbe } from "../registry/probes/probe-sign-in.js";
import type { ProbedProvider } from "../registry/probes/probed-provider.js";
import { decidePerson, SignInFault } from "../registry/probes/sign-in-checks.js";
import { covers, type PassedTest, sealTest } from "../registry/provider-test.js";
import { attemptSecrets } from "../sign-in/browser.js";
import type { ProvidedIdentity } from "../sign-in/identity.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { AnswerReturn } from "../sign-in/routes.js";
import { callbackKeyOf } from "../sign-in/sign-in-link.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { SignInTest } from "../store/sign-in-tests.js";
import type { Store } from "../store/store.js";
import { administerScope } from "../store/system-scopes.js";
import { readClaims, type SignInTestResult } from "./begin-test.js";

/** The provider's answer to a test that was taken. */
interface TestReturn {
  readonly test: SignInTest;
  readonly state: string;
  readonly browserSecret: string;
  /** As received. */
  readonly query: string;
  /** What the path ended with that the browser came back to. */
  readonly callbackKey: string | undefined;
  readonly requestId: string;
}

interface FinishDependencies {
  readonly store: Store;
  readonly credentials: Vault;
  readonly probe: SignInProbe;
  readonly now: Date;
}

/** Redeems the provider's answer, judges it like a sign-in, and stores the result. Opens no session. */
async function finishTest(
  input: TestReturn,
  stored: IdentityProvider,
  dependencies: FinishDependencies,
): Promise<void> {
  const { test, requestId } = input;
  const { store, credentials, now } = dependencies;
  const row = signInTestRow(test.id);
  const tested = JSON.parse(await credentials.open(test.settings, row)) as ProbedProvider;
  const { result, identity } = await tryToFinish(input, { tested, stored }, dependencies);
  const passed = identity && { settings: settingsOf(tested), email: identity.email };
  await store.transaction(async (tx) => {
    const settings =
      passed === undefined ? Buffer.alloc(0) : await credentials.seal(JSON.stringify(passed), row);
    const ended = { id: test.id, passed: passed !== undefined, result: { ...result }, settings, now };
    if (!(await tx.signInTests.finish(ended))) return;
    const current = await tx.identityProviders.find(stored.id);
    if (passed !== undefined && current !== undefined && (await covers(passed, current, credentials))) {
      const found = { providerId: stored.id, passed, testedAt: now };
      await tx.providerTests.save(await sealTest(found, credentials));
    }
    const { fault } = result;
    const { id, withChanges: changes } = test;
    await recordAudit(tx, {
      type: "provider.tested",
      outcome: fault === undefined ? "success" : "failed",
      actor: { type: "user", id: test.userId },
      at: now,
      requestId,
      data: { key: stored.key, test: id, changes, ...(fault !== undefined && { fault }) },
    });
  });
}

interface Tested {
  readonly tested: ProbedProvider;
  readonly stored: IdentityProvider;
}

async function tryToFinish(
  { state, browserSecret, query, callbackKey }: TestReturn,
  { tested, stored }: Tested,
  { store, probe }: FinishDependencies,
): Promise<{ readonly result: SignInTestResult; readonly identity?: ProvidedIdentity }> {
  let known: Pick<SignInTestResult, "claims"> = { claims: [] };
  try {
    // As in a sign-in: the answer of one provider is never taken at the callback of another (RFC 9700 §4.4).
    if (callbackKeyOf(stored) !== callbackKey) throw new SignInFault("answer_malformed");
    const groupProvider = await store.groupProviders.findByIdentityProvider(stored.id);
    const wantsGroups = groupProvider?.type === "claim" && groupProvider.enabled;
    const journey = { provider: tested, state, browserSecret };
    const { claims, refreshToken } = await probe.finish(journey, { query, wantsGroups });
    known = { claims: readClaims(claims) };
    const identity = decidePerson(claims, tested);
    const person = await findPerson(identity, { tested, stored }, store);
    if (person?.enabled === false) throw new SignInFault("person_disabled", { email: identity.email });
    const presence = tested.presence === "on";
    if (presence) {
      await requireConfirmation({ tested, refreshToken, subject: claims.sub, wantsGroups }, probe);
    }
    const groups = claims.groups === undefined ? null : parseGroupsClaim(claims.groups).length;
    const found = person && { id: person.id, name: person.name };
    return { result: { ...known, email: identity.email, person: found ?? null, groups, presence }, identity };
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error;
    return { result: { ...known, ...error.result } };
  }
}

/**
 * Tries what presence does later: the provider must have given a refresh token, and accept it. It is not revoked afterwards: at Google that
 * would end every refresh token of the person, also the one that is stored.
 *
 * @throws {SignInFault} `refresh_missing`, `refresh_refused`
 */
async function requireConfirmation(
  {
    tested,
    refreshToken,
    ...request
  }: {
    readonly tested: ProbedProvider;
    readonly refreshToken: string | undefined;
    readonly subject: string;
    readonly wantsGroups: boolean;
  },
  probe: SignInProbe,
): Promise<void> {
  if (refreshToken === undefined) throw new SignInFault("refresh_missing");
  const answer = await probe.confirm(tested, { refreshToken, ...request });
  if (answer.kind !== "confirmed") {
    const detail = answer.kind === "refused" ? answer.error : answer.detail;
    throw new SignInFault("refresh_refused", { detail });
  }
  // What it says of the person then must be enough for a sign-in, or everybody would be paused.
  try {
    if (answer.claims !== undefined) decidePerson(answer.claims, tested);
  } catch (error) {
    if (error instanceof SignInFault)
      throw new SignInFault("refresh_refused", { detail: error.result.fault });
    throw error;
  }
}

/** The user that a sign-in would find. At another issuer no account is known yet, so only the address counts. */
async function findPerson(
  { subject, email }: ProvidedIdentity,
  { tested, stored }: Tested,
  { users }: Pick<Store, "users">,
) {
  const holder = await users.findByEmail(email);
  if (holder?.enabled === false) return holder;
  if (tested.issuer !== stored.issuer) return holder;
  return (await users.findAsserted({ providerId: stored.id, subject, email }))?.user;
}

function settingsOf(tested: ProbedProvider): PassedTest["settings"] {
  const { issuer, discoveryUrl, clientId, clientSecret, tokenEndpointAuthMethod, scopes } = tested;
  const presence = tested.presence === "on";
  return { issuer, discoveryUrl, clientId, clientSecret, tokenEndpointAuthMethod, scopes, presence };
}

/**
 * Answers a browser that comes back from a test sign-in, and leads it to the provider's page in the console.
 *
 * A browser with another session, or without the permission to administer, gets the answer for an unknown attempt.
 */
export function createTestReturn(context: PageContext): AnswerReturn {
  const { store, cookies, credentials, directories, config } = context;
  const { allowInsecureLoopback } = config;
  const probe = createSignInProbe({ ...context, allowInsecureLoopback });

  async function mayAdminister(userId: string): Promise<boolean> {
    const user = await store.users.find(userId);
    if (user === undefined || !user.enabled) return false;
    return effectiveScopes(await loadPermissions(user, { store, directories })).has(administerScope);
  }

  return async ({ request, reply }, { state, query, callbackKey }) => {
    const browserSecret = cookies.readSecret(request);
    const session = await cookies.readSession(request);
    if (browserSecret === undefined || session === undefined) return false;
    const now = context.now();
    const { stateHash, browserHash } = attemptSecrets(browserSecret, state);
    const test = await store.signInTests.take({ stateHash, browserHash, sessionId: session.id, now });
    const provider = test && (await store.identityProviders.find(test.providerId));
    if (test === undefined || provider === undefined || !(await mayAdminister(session.userId))) return false;
    const input = { test, state, browserSecret, query, callbackKey, requestId: request.id };
    await finishTest(input, provider, { store, credentials, probe, now });
    const page = `${paths.administration}/identity-providers/${encodeURIComponent(provider.key)}`;
    // To an address without the provider's code and state in it.
    await reply.redirect(`${page}?test=${test.id}`, 303);
    return true;
  };
}
