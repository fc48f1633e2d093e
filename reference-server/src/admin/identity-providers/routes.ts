import type { ServerContext } from "../../context.js";
import { createUpstream } from "../../sign-in/upstream.js";
import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AreaOptions } from "../door/area.js";
import type { AdminArea } from "../http/route.js";
import type { AdminTexts } from "../texts/texts.js";
import { checkMove } from "./check-move.js";
import { checkProvider } from "./check-provider.js";
import { changeProvider, createProvider, reachOfProvider, removeProvider } from "./save-provider.js";
import {
  createIdentityProviderInputs,
  identityProviderChecksSchema,
  identityProviderListSchema,
  identityProviderParamsSchema,
  identityProviderQuerySchema,
  identityProviderSchema,
} from "./schemas.js";
import { findCallbackUrl, loadProvider, showProvider } from "./show-provider.js";

/** Where people sign in. */
export function identityProviderArea(options: AreaOptions): AdminArea {
  const { issuer } = options;
  const { create, patch, check } = createIdentityProviderInputs(options);

  const listProviders = defineRoute({
    method: "GET",
    path: "/identity-providers",
    summary: "List identity providers",
    query: identityProviderQuerySchema,
    answer: identityProviderListSchema,
    handle: async ({ query }, { store }) => {
      const page = await store.providers.list({ ...toPageRequest(query), enabled: query.enabled });
      return fromPage(page, { query, show: (provider) => showProvider(provider, issuer) });
    },
  });
  const postProvider = defineRoute({
    method: "POST",
    path: "/identity-providers",
    summary: "Add an identity provider",
    description: "Look at it with `POST /identity-providers/checks` first.",
    status: 201,
    body: create,
    answer: identityProviderSchema,
    errors: ["already_exists"],
    handle: async ({ body }, { change }) =>
      await change(async (work) => await createProvider(body, { ...work, issuer })),
  });
  const getProvider = defineRoute({
    method: "GET",
    path: "/identity-providers/{key}",
    summary: "Show an identity provider",
    params: identityProviderParamsSchema,
    answer: identityProviderSchema,
    errors: ["not_found"],
    handle: async ({ params: { key } }, { store }) => (await loadProvider(store, { key, issuer })).shown,
  });
  const patchProvider = defineRoute({
    method: "PATCH",
    path: "/identity-providers/{key}",
    summary: "Change an identity provider",
    description:
      "The last one that works can neither be disabled nor be given another issuer. Both end the sessions that began there; another issuer forgets the accounts there, and is checked first.",
    ifMatch: true,
    preview: true,
    params: identityProviderParamsSchema,
    body: patch,
    answer: identityProviderSchema,
    errors: ["not_found", "last_provider", "last_administrator"],
    handle: async ({ params: { key }, body, version }, { change, context, store, now, texts }) => {
      const callbackUrl = await findCallbackUrl(store, { key, issuer });
      const checking = createChecking(context, { callbackUrl, texts });
      await checkMove({ key, change: body }, { store, checking });
      return await change(
        async (work) => await changeProvider({ key, change: body, version }, { ...work, issuer }),
        reachOfProvider(key, { now, ends: body.enabled === false, issuer: body.issuer }),
      );
    },
  });
  const deleteProvider = defineRoute({
    method: "DELETE",
    path: "/identity-providers/{key}",
    summary: "Remove an identity provider",
    description:
      "Refused for the last one that works, and while a group provider takes its groups. People stay; their accounts there are forgotten.",
    ifMatch: true,
    preview: true,
    params: identityProviderParamsSchema,
    errors: ["not_found", "in_use", "last_provider", "last_administrator"],
    handle: async ({ params: { key }, version }, { change, now }) => {
      await change(
        async (work) => {
          await removeProvider({ key, version }, { ...work, issuer });
        },
        reachOfProvider(key, { now, ends: true }),
      );
      return undefined;
    },
  });
  const postCheck = defineRoute({
    method: "POST",
    path: "/identity-providers/checks",
    summary: "Check an identity provider",
    description: "Everything that can be seen without a sign-in. Nothing is stored, and no secret is sent.",
    body: check,
    answer: identityProviderChecksSchema,
    handle: async ({ body: { key, ...draft } }, { context, store, texts }) => {
      const callbackUrl = await findCallbackUrl(store, { key, issuer });
      const checks = await checkProvider(draft, createChecking(context, { callbackUrl, texts }));
      return { checks: [...checks], callbackUrl };
    },
  });

  return {
    tag: "Identity providers",
    description: "The OpenID providers that people sign in at.",
    routes: [listProviders, postProvider, getProvider, patchProvider, deleteProvider, postCheck],
  };
}

/** Asks anew every time: a check says how things are now. */
function createChecking(
  { config, credentials, outboundFetch, clock }: ServerContext,
  { callbackUrl, texts }: { readonly callbackUrl: string; readonly texts: AdminTexts },
) {
  const { allowInsecureLoopback, issuer } = config;
  const upstream = createUpstream({ issuer, credentials, outboundFetch, allowInsecureLoopback, clock });
  return { outboundFetch, upstream, callbackUrl, allowInsecureLoopback, texts };
}
