import { z } from "zod";
import { findIdentityProvider, previewIdentityProvider } from "../../../registry/identity-provider.js";
import { createSignInProbe } from "../../../registry/probes/probe-sign-in.js";
import type { ProbedProvider } from "../../../registry/probes/probed-provider.js";
import { notFound } from "../../../registry/refusal.js";
import { given } from "../../../registry/work.js";
import { prepareTest, storeTest } from "../../../sign-in-tests/begin-test.js";
import { createBrowserCookies } from "../../../sign-in/browser.js";
import type { ListedIdentityProvider } from "../../../store/identity-providers.js";
import type { Store } from "../../../store/store.js";
import { administrators } from "../../door/access.js";
import type { AdminArea } from "../../door/area.js";
import type { AdminCall } from "../../door/call.js";
import { createIdentityProviderInputs, identityProviderParamsSchema } from "../schemas.js";
import { signInTestParamsSchema, signInTestSchema } from "./schemas.js";
import { showTest } from "./show-test.js";

/** An administrator tries a sign-in at a provider, in the browser that asks. */
export const registerSignInTests: AdminArea["routes"] = async (app, options) => {
  const { patch } = createIdentityProviderInputs(options);

  app.post(
    "/identity-providers/:key/tests",
    {
      config: { access: administrators, browserOnly: true, errors: ["not_found"] },
      schema: {
        summary: "Begin a test sign-in",
        description:
          "Somebody signs in at the provider, enabled or not, as `authorizationUrl` leads there, and nobody is signed in here. It belongs to the session and the browser that ask, and counts once. With `changes` the provider is tested as it would be after them; nothing of them is saved.",
        params: identityProviderParamsSchema,
        body: z.strictObject({ changes: patch.optional() }),
        response: { 201: signInTestSchema },
      },
    },
    async (request, reply) => {
      const { params, body, admin } = request;
      const { context, store, now, caller } = admin;
      if (caller.type !== "user") throw notFound("signInTest");
      const stored = await findIdentityProvider(store, params.key);
      const withChanges = body.changes !== undefined;
      const provider = await toProbed(stored, body.changes ?? {}, context.credentials);
      const https = options.issuer.startsWith("https:");
      const cookies = createBrowserCookies({ https, store, now: () => now });
      const { secret: browserSecret } = await cookies.ensureBrowser(request, reply);
      const prepared = await prepareTest({ provider, browserSecret }, createProbe(context));
      const owner = { userId: caller.user.id, sessionId: caller.session.id };
      return await admin.change(async (work) => {
        await storeTest(prepared, { stored, owner, withChanges }, work);
        const test = await findTest(work.store, { id: prepared.id, stored, userId: owner.userId });
        const shown = await contextOf(work.store, stored, provider);
        return showTest(test, { ...shown, authorizationUrl: prepared.url?.href }, admin);
      });
    },
  );

  app.get(
    "/identity-providers/:key/tests/:id",
    {
      config: { access: administrators, browserOnly: true, errors: ["not_found"] },
      schema: {
        summary: "Show a test sign-in",
        description: "Whoever began it reads how it ended, for an hour after it is over.",
        params: signInTestParamsSchema,
        response: { 200: signInTestSchema },
      },
    },
    async ({ params: { key, id }, admin }) => {
      const { store, caller } = admin;
      if (caller.type !== "user") throw notFound("signInTest");
      const stored = await findIdentityProvider(store, key);
      const test = await findTest(store, { id, stored, userId: caller.user.id });
      return showTest(test, await contextOf(store, stored, stored), admin);
    },
  );
};

type Changes = Parameters<typeof given>[0];

/** The provider as it is tested: nothing but what a sign-in there needs. */
async function toProbed(
  stored: ListedIdentityProvider,
  changes: Changes,
  credentials: AdminCall["context"]["credentials"],
): Promise<ProbedProvider> {
  const { clientSecret: _kept, ...rest } = stored;
  const wanted = await previewIdentityProvider(
    { before: stored, after: { ...rest, ...given(changes) } },
    credentials,
  );
  const { key, name, issuer, discoveryUrl, clientId, clientSecret } = wanted;
  const { tokenEndpointAuthMethod, scopes, allowedEmailDomains, ownCallback, presence } = wanted;
  return {
    key,
    name,
    issuer,
    discoveryUrl,
    clientId,
    clientSecret,
    tokenEndpointAuthMethod,
    scopes,
    allowedEmailDomains,
    ...(presence !== undefined && { presence }),
    ...(ownCallback !== undefined && { ownCallback }),
  };
}

function createProbe(context: AdminCall["context"]) {
  const { issuer, allowInsecureLoopback } = context.config;
  return createSignInProbe({ ...context, issuer, allowInsecureLoopback });
}

async function findTest(
  store: Pick<Store, "signInTests">,
  { id, stored, userId }: { id: string; stored: ListedIdentityProvider; userId: string },
) {
  const test = await store.signInTests.find({ id, providerId: stored.id, userId });
  if (test === undefined) throw notFound("signInTest");
  return test;
}

async function contextOf(
  store: Pick<Store, "groupProviders">,
  { id }: ListedIdentityProvider,
  { name, issuer }: Pick<ProbedProvider, "name" | "issuer">,
) {
  const groups = await store.groupProviders.findByIdentityProvider(id);
  return { provider: { name, issuer }, needsGroups: groups?.type === "claim" && groups.enabled };
}
