import type { ServerContext } from "../../context.js";
import {
  findIdentityProvider,
  removeIdentityProvider,
  requireOtherProvider,
  saveIdentityProvider,
} from "../../registry/identity-provider.js";
import { requireVersion } from "../../registry/refusal.js";
import { given } from "../../registry/work.js";
import { callbackUrlOf } from "../../sign-in/callback.js";
import { createRelyingParty } from "../../sign-in/relying-party.js";
import type { ListedIdentityProvider } from "../../store/identity-providers.js";
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

/** Where people sign in. */
export const identityProviderArea: AdminArea = {
  tag: "Identity providers",
  description: "The OpenID providers that people sign in at.",
  async routes(app, options) {
    const { issuer } = options;
    const { create, patch, check } = createIdentityProviderInputs(options);
    const show = (provider: ListedIdentityProvider) => showProvider(provider, issuer);

    app.get(
      "/identity-providers",
      {
        schema: {
          summary: "List identity providers",
          querystring: identityProviderQuerySchema,
          response: { 200: identityProviderListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const page = await store.identityProviders.list({ ...toPageRequest(query), enabled: query.enabled });
        return fromPage(page, { query, show });
      },
    );

    app.post(
      "/identity-providers",
      {
        config: { errors: ["already_exists"] },
        schema: {
          summary: "Add an identity provider",
          description: "Look at it with `POST /identity-providers/checks` first.",
          body: create,
          response: { 201: identityProviderSchema },
        },
      },
      async ({ body: { clientSecret = null, ...provider }, admin: { change } }) =>
        await change(async (work) => {
          await saveIdentityProvider({ before: undefined, after: { ...provider, clientSecret } }, work);
          return show(await findIdentityProvider(work.store, provider.key));
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
      async ({ params: { key }, admin: { store } }) => show(await findIdentityProvider(store, key)),
    );

    app.patch(
      "/identity-providers/:key",
      {
        config: {
          ifMatch: true,
          preview: true,
          errors: ["not_found", "last_provider", "last_administrator"],
        },
        schema: {
          summary: "Change an identity provider",
          description:
            "The last one that works can neither be disabled nor be given another issuer. Both end the sessions that began there; another issuer forgets the accounts there, and is checked first.",
          params: identityProviderParamsSchema,
          body: patch,
          response: { 200: identityProviderSchema },
        },
      },
      async ({ params: { key }, body, admin }) => {
        const { change, context, store, now, say, version } = admin;
        const callbackUrl = await findCallbackUrl(store, { key, issuer });
        const checking = createChecking(context, { callbackUrl, say });
        await requireReachable({ key, change: body }, { store, checking });
        return await change(
          async (work) => {
            const found = await findIdentityProvider(work.store, key);
            requireVersion(show(found), version);
            const before = storedPart(found);
            const { clientSecret: _stored, ...kept } = before;
            const after = { ...kept, ...given(body) };
            // Nobody has signed in at the other issuer yet, so the provider counts as one that leaves.
            const leaves = !after.enabled || after.issuer !== before.issuer;
            if (before.enabled && leaves) await requireOtherProvider(before, work);
            await saveIdentityProvider({ before, after }, work);
            return show(await findIdentityProvider(work.store, key));
          },
          reachOfProvider(key, { now, ends: body.enabled === false, issuer: body.issuer }),
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
      async ({ params: { key }, admin: { change, now, version } }) =>
        await change(
          async (work) => {
            const found = await findIdentityProvider(work.store, key);
            requireVersion(show(found), version);
            await removeIdentityProvider(found, work);
          },
          reachOfProvider(key, { now, ends: true }),
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
  },
};

/** Asks anew every time: a check says how things are now. */
function createChecking(
  { config, credentials, outboundFetch, clock }: ServerContext,
  { callbackUrl, say }: { readonly callbackUrl: string } & Pick<AdminCall, "say">,
) {
  const { allowInsecureLoopback, issuer } = config;
  const relyingParty = createRelyingParty({
    issuer,
    credentials,
    outboundFetch,
    allowInsecureLoopback,
    clock,
  });
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

function showProvider(provider: ListedIdentityProvider, issuer: string): IdentityProvider {
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
    people: provider.people,
    callbackUrl: callbackUrlOf(issuer, provider),
    groupProvider: provider.groupProvider,
    createdAt: isoTime(provider.createdAt),
    updatedAt: isoTime(provider.updatedAt),
    version: provider.version,
  };
}
