import type { ServerContext } from "../../context.js";
import {
  findIdentityProvider,
  removeIdentityProvider,
  requireOtherProvider,
  saveIdentityProvider,
} from "../../registry/identity-provider.js";
import { given } from "../../registry/work.js";
import { backChannelLogoutUrlOf, callbackUrlOf } from "../../sign-in/sign-in-link.js";
import { createRelyingParty } from "../../sign-in/relying-party.js";
import type { Vault } from "../../platform/vault/vault.js";
import { type Assurance, covers, openTest } from "../../registry/provider-test.js";
import type { ListedIdentityProvider } from "../../store/identity-providers.js";
import type { PresenceAlarm, PresenceCounts } from "../../store/presences.js";
import type { ProviderTest } from "../../store/provider-tests.js";
import type { Store } from "../../store/store.js";
import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { AdminCall } from "../door/call.js";
import { isoTime } from "../door/list-query.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import { requireReachable, probeProvider } from "../../registry/probes/probe-provider.js";
import { registerProvisioning } from "./provisioning/routes.js";
import { reachOfProvider } from "./reach-of-provider.js";
import {
  createIdentityProviderInputs,
  type IdentityProvider,
  identityProviderChecksSchema,
  identityProviderParamsSchema,
  identityProviderQuerySchema,
  identityProviderSchema,
} from "./schemas.js";
import { registerSignInTests } from "./tests/routes.js";

/** Where people sign in. */
export const identityProviderArea: AdminArea = {
  tag: "Identity providers",
  description: "The OpenID providers that people sign in at.",
  async routes(app, options) {
    const { issuer } = options;
    const { create, patch, check } = createIdentityProviderInputs(options);

    addObjectRoutes(app, {
      path: "/identity-providers",
      access: auditors,
      params: identityProviderParamsSchema,
      shown: identityProviderSchema,
      find: async (key: string, { store }: Reading) => await findIdentityProvider(store, key),
      show: showProviders,
      list: {
        summary: "List identity providers",
        query: identityProviderQuerySchema,
        load: async (request, { enabled }, { store }) =>
          await store.identityProviders.list({ ...request, enabled }),
      },
      create: {
        summary: "Add an identity provider",
        description:
          "Look at it with `POST /identity-providers/checks` first. It is off until a test sign-in has passed and somebody enables it.",
        errors: ["test_required"],
        body: create,
        idOf: ({ key }) => key,
        save:
          ({ clientSecret = null, untested, ...provider }) =>
          async (work) => {
            const after = { ...provider, clientSecret };
            await saveIdentityProvider({ before: undefined, after, assurance: assuranceOf(untested) }, work);
          },
      },
      read: { summary: "Show an identity provider" },
      change: {
        summary: "Change an identity provider",
        description:
          "To be enabled, and to serve with another issuer, client, secret or scopes, or fewer domains, it needs a test sign-in that has passed with exactly these settings: `POST /identity-providers/{key}/tests`, with `changes` for those that are not saved. Until then it serves as before. The last one that works can neither be disabled nor be given another issuer. Both end the sessions that began there; another issuer forgets the accounts there, and is checked first.",
        errors: ["last_provider", "last_administrator", "test_required"],
        body: patch,
        async save({ untested, ...change }, { context, store, say }, key) {
          const callbackUrl = await findCallbackUrl(store, { key, issuer });
          const checking = createChecking(context, { callbackUrl, say });
          await requireReachable({ key, change }, { store, checking });
          return async (found, work) => {
            const before = storedPart(found);
            const { clientSecret: _stored, ...kept } = before;
            const after = { ...kept, ...given(change) };
            // No one has signed in at the other issuer yet, so the provider counts as leaving.
            const leaves = !after.enabled || after.issuer !== before.issuer;
            if (before.enabled && leaves) await requireOtherProvider(before, work);
            await saveIdentityProvider({ before, after, assurance: assuranceOf(untested) }, work);
          };
        },
        reach: (key, { now, caller }, { enabled, issuer: newIssuer }) =>
          reachOfProvider(key, { now, caller, ends: enabled === false, issuer: newIssuer }),
      },
      remove: {
        summary: "Remove an identity provider",
        description:
          "Refused for the last one that works, and while a group provider takes its groups. People stay; their accounts there are forgotten.",
        errors: ["in_use", "last_provider", "last_administrator"],
        run: removeIdentityProvider,
        reach: (key, { now, caller }) => reachOfProvider(key, { now, caller, ends: true }),
      },
    });

    app.post(
      "/identity-providers/checks",
      {
        config: { access: administrators },
        schema: {
          summary: "Check an identity provider",
          description:
            "Checks everything that can be checked without a sign-in. Nothing is stored, and no secret is sent.",
          body: check,
          response: { 200: identityProviderChecksSchema },
        },
      },
      async ({ body: { key, ...draft }, admin: { context, store, say } }) => {
        const callbackUrl = await findCallbackUrl(store, { key, issuer });
        const checks = await probeProvider(draft, createChecking(context, { callbackUrl, say }));
        return { checks: [...checks], callbackUrl };
      },
    );

    await registerSignInTests(app, options);
    await registerProvisioning(app, options);
  },
};

/** Asks anew every time: a check says how things are now. */
function createChecking(
  context: ServerContext,
  { callbackUrl, say }: { readonly callbackUrl: string } & Pick<AdminCall, "say">,
) {
  const { config, outboundFetch } = context;
  const { allowInsecureLoopback, issuer } = config;
  const relyingParty = createRelyingParty({ ...context, issuer, allowInsecureLoopback });
  return { outboundFetch, relyingParty, callbackUrl, allowInsecureLoopback, say };
}

/** The redirect URI of a provider that may not be stored yet; without its key, with a place for that. */
async function findCallbackUrl(
  store: Store,
  { key, issuer }: { readonly key: string | undefined; readonly issuer: string },
): Promise<string> {
  const found = key === undefined ? undefined : await store.identityProviders.findByKey(key);
  if (found !== undefined) return callbackUrlOf(issuer, found);
  const ownCallback = await store.identityProviders.isPlainCallbackTaken();
  return callbackUrlOf(issuer, { key: key ?? "{key}", ownCallback });
}

function storedPart(provider: ListedIdentityProvider) {
  const {
    people: _people,
    groupProvider: _groups,
    createdAt: _at,
    updatedAt: _to,
    version: _v,
    ...stored
  } = provider;
  return stored;
}

function assuranceOf(untested: boolean | undefined): Assurance {
  return untested === true ? "vouched" : "tested";
}

async function showProviders(
  providers: readonly ListedIdentityProvider[],
  { store, context }: Reading,
): Promise<readonly IdentityProvider[]> {
  const { credentials, config } = context;
  const tests = await store.providerTests.findAll(providers.map(({ id }) => id));
  const byId = new Map(tests.map((test) => [test.providerId, test]));
  const states = await store.presences.countPeople(providers.map(({ id }) => id));
  const alarms = await store.presences.listAlarms();
  return await Promise.all(
    providers.map(async (provider) =>
      showAs(identityProviderSchema)({
        ...provider,
        backchannelLogoutUri: backChannelLogoutUrlOf(config.issuer, provider),
        hasClientSecret: provider.clientSecret !== null,
        test: await showLastTest(provider, byId.get(provider.id), credentials),
        callbackUrl: callbackUrlOf(config.issuer, provider),
        presenceState: showPresence(provider.id, { states, alarms }),
      }),
    ),
  );
}

function showPresence(
  id: string,
  {
    states,
    alarms,
  }: { readonly states: readonly PresenceCounts[]; readonly alarms: readonly PresenceAlarm[] },
): IdentityProvider["presenceState"] {
  const {
    confirmed = 0,
    inGrace = 0,
    paused = 0,
    withoutToken = 0,
  } = states.find(({ providerId }) => providerId === id) ?? {};
  const alarm = alarms.find(({ providerId }) => providerId === id);
  return {
    confirmed,
    inGrace,
    paused,
    withoutToken,
    alarm: alarm === undefined ? null : { reason: alarm.reason, since: isoTime(alarm.since) },
  };
}

async function showLastTest(
  provider: ListedIdentityProvider,
  test: ProviderTest | undefined,
  credentials: Vault,
): Promise<IdentityProvider["test"]> {
  const passed = test && (await openTest(test, credentials));
  if (test === undefined || passed === undefined) return { state: "none", testedAt: null };
  const state = (await covers(passed, provider, credentials)) ? "passed" : "outdated";
  return { state, testedAt: isoTime(test.testedAt) };
}
