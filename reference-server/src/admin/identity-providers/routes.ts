import type { ServerContext } from "../../context.js";
import {
  findIdentityProvider,
  removeIdentityProvider,
  requireOtherProvider,
  saveIdentityProvider,
} from "../../registry/identity-provider.js";
import { requireVersion } from "../../registry/refusal.js";
import { given, type Work } from "../../registry/work.js";
import { callbackUrlOf } from "../../sign-in/sign-in-link.js";
import { createRelyingParty } from "../../sign-in/relying-party.js";
import type { Vault } from "../../platform/vault/vault.js";
import { type Assurance, covers, openTest } from "../../registry/provider-test.js";
import type { ListedIdentityProvider } from "../../store/identity-providers.js";
import type { ProviderTest } from "../../store/provider-tests.js";
import type { Store } from "../../store/store.js";
import type { AdminArea } from "../door/area.js";
import type { AdminCall } from "../door/call.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { requireReachable } from "../../registry/probes/require-reachable.js";
import { probeProvider } from "../../registry/probes/probe-provider.js";
import { reachOfProvider } from "./reach-of-provider.js";
import {
  createIdentityProviderInputs,
  type IdentityProvider,
  identityProviderChecksSchema,
  identityProviderListSchema,
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
    const load = async (key: string, { store, credentials }: Pick<Work, "store" | "credentials">) => {
      const provider = await findIdentityProvider(store, key);
      const test = await store.providerTests.find(provider.id);
      return await showProvider(provider, { test, credentials, issuer });
    };

    app.get(
      "/identity-providers",
      {
        schema: {
          summary: "List identity providers",
          querystring: identityProviderQuerySchema,
          response: { 200: identityProviderListSchema },
        },
      },
      async ({ query, admin: { store, context } }) => {
        const page = await store.identityProviders.list({ ...toPageRequest(query), enabled: query.enabled });
        const tests = await store.providerTests.findAll(page.items.map(({ id }) => id));
        const byId = new Map(tests.map((test) => [test.providerId, test]));
        const { credentials } = context;
        const items = await Promise.all(
          page.items.map((provider) =>
            showProvider(provider, { test: byId.get(provider.id), credentials, issuer }),
          ),
        );
        return fromPage({ ...page, items }, { query, show: (provider) => provider });
      },
    );

    app.post(
      "/identity-providers",
      {
        config: { errors: ["already_exists", "test_required"] },
        schema: {
          summary: "Add an identity provider",
          description:
            "Look at it with `POST /identity-providers/checks` first. It is off until a test sign-in has passed and somebody enables it.",
          body: create,
          response: { 201: identityProviderSchema },
        },
      },
      async ({ body: { clientSecret = null, untested, ...provider }, admin: { change } }) =>
        await change(async (work) => {
          const after = { ...provider, clientSecret };
          await saveIdentityProvider({ before: undefined, after, assurance: assuranceOf(untested) }, work);
          return await load(provider.key, work);
        }),
    );

    app.get(
      "/identity-providers/:key",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show an identity provider",
          params: identityProviderParamsSchema,
          response: { 200: identityProviderSchema },
        },
      },
      async ({ params: { key }, admin: { store, context } }) =>
        await load(key, { store, credentials: context.credentials }),
    );

    app.patch(
      "/identity-providers/:key",
      {
        config: {
          ifMatch: true,
          preview: true,
          errors: ["not_found", "last_provider", "last_administrator", "test_required"],
        },
        schema: {
          summary: "Change an identity provider",
          description:
            "To be enabled, and to serve with another issuer, client, secret or scopes, or fewer domains, it needs a test sign-in that has passed with exactly these settings: `POST /identity-providers/{key}/tests`, with `changes` for those that are not saved. Until then it serves as before. The last one that works can neither be disabled nor be given another issuer. Both end the sessions that began there; another issuer forgets the accounts there, and is checked first.",
          params: identityProviderParamsSchema,
          body: patch,
          response: { 200: identityProviderSchema },
        },
      },
      async ({ params: { key }, body: { untested, ...body }, admin }) => {
        const { change, context, store, now, say, version, caller } = admin;
        const callbackUrl = await findCallbackUrl(store, { key, issuer });
        const checking = createChecking(context, { callbackUrl, say });
        await requireReachable({ key, change: body }, { store, checking });
        return await change(
          async (work) => {
            const found = await findIdentityProvider(work.store, key);
            requireVersion(await load(key, work), version);
            const before = storedPart(found);
            const { clientSecret: _stored, ...kept } = before;
            const after = { ...kept, ...given(body) };
            // Nobody has signed in at the other issuer yet, so the provider counts as one that leaves.
            const leaves = !after.enabled || after.issuer !== before.issuer;
            if (before.enabled && leaves) await requireOtherProvider(before, work);
            await saveIdentityProvider({ before, after, assurance: assuranceOf(untested) }, work);
            return await load(key, work);
          },
          reachOfProvider(key, { now, caller, ends: body.enabled === false, issuer: body.issuer }),
        );
      },
    );

    app.delete(
      "/identity-providers/:key",
      {
        config: {
          ifMatch: true,
          preview: true,
          errors: ["not_found", "in_use", "last_provider", "last_administrator"],
        },
        schema: {
          summary: "Remove an identity provider",
          description:
            "Refused for the last one that works, and while a group provider takes its groups. People stay; their accounts there are forgotten.",
          params: identityProviderParamsSchema,
        },
      },
      async ({ params: { key }, admin: { change, now, version, caller } }) =>
        await change(
          async (work) => {
            const found = await findIdentityProvider(work.store, key);
            requireVersion(await load(key, work), version);
            await removeIdentityProvider(found, work);
          },
          reachOfProvider(key, { now, caller, ends: true }),
        ),
    );

    app.post(
      "/identity-providers/checks",
      {
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

interface ShownFrom {
  readonly test: ProviderTest | undefined;
  readonly credentials: Vault;
  /** Of this server. */
  readonly issuer: string;
}

async function showProvider(
  provider: ListedIdentityProvider,
  { test, credentials, issuer }: ShownFrom,
): Promise<IdentityProvider> {
  return {
    key: provider.key,
    name: provider.name,
    buttonLabel: provider.buttonLabel ?? null,
    issuer: provider.issuer,
    discoveryUrl: provider.discoveryUrl,
    clientId: provider.clientId,
    hasClientSecret: provider.clientSecret !== null,
    tokenEndpointAuthMethod: provider.tokenEndpointAuthMethod,
    scopes: [...provider.scopes],
    allowedEmailDomains: [...provider.allowedEmailDomains],
    allowsAssertions: provider.allowsAssertions ?? false,
    enabled: provider.enabled,
    test: await showLastTest(provider, test, credentials),
    people: provider.people,
    callbackUrl: callbackUrlOf(issuer, provider),
    groupProvider: provider.groupProvider,
    createdAt: isoTime(provider.createdAt),
    updatedAt: isoTime(provider.updatedAt),
    version: provider.version,
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
