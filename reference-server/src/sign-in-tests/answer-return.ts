import { effectiveScopes } from "../permissions/effective-scopes.js";
import { loadPermissions } from "../permissions/load-permissions.js";
import { paths } from "../protocol/vocabulary.js";
import { createSignInProbe } from "../registry/probes/probe-sign-in.js";
import { attemptSecrets } from "../sign-in/browser.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { AnswerReturn } from "../sign-in/routes.js";
import { administerScope } from "../store/system-scopes.js";
import { finishTest } from "./finish-test.js";

/**
 * Answers a browser that comes back from a test sign-in, and leads it to the provider's page in the console.
 *
 * Whoever is somebody else by now, or may not administer any more, is told what anybody is whom nobody waits for.
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
