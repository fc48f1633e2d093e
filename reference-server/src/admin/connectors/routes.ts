import { sealedKeyId } from "../../platform/vault/sealed.js";
import { describeKinds } from "../../connectors/kinds/kinds.js";
import { callbackUrlOf } from "../../connectors/provider/callback-url.js";
import {
  disconnectEverybody,
  findConnector,
  needingConnectorKey,
  removeConnector,
  saveConnector,
  saveConnectorTest,
  sealConnector,
} from "../../registry/connector.js";
import { completeLimits } from "../../registry/connector-fields.js";
import { given } from "../../registry/work.js";
import type { ListedConnector } from "../../store/connectors.js";
import { administrators, auditorsAndOwners, requireSeenConnector, seenIds } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import { reachOfConnector, reachOfDisconnecting } from "./connector-notes.js";
import { probeThirdParty } from "../../registry/probes/probe-third-party.js";
import {
  type Connector,
  connectorDisconnectionsSchema,
  connectorDiscoverySchema,
  connectorKindSchema,
  connectorKindsSchema,
  connectorParamsSchema,
  connectorQuerySchema,
  connectorSchema,
  connectorTestSchema,
  createConnectorInputs,
} from "./schemas.js";

/** Third parties whose accounts people connect. */
export const connectorArea: AdminArea = {
  tag: "Connectors",
  description: "Third parties whose accounts people connect, and the rules by which agents use them.",
  async routes(app, options) {
    const { create, patch, discovery } = createConnectorInputs(options);

    app.get(
      "/connector-kinds",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List the kinds of connectors",
          description:
            "What each suggests, in the language of the caller. What stands in braces has to be replaced.",
          response: { 200: connectorKindsSchema },
        },
      },
      async ({ admin: { language } }) => ({
        items: describeKinds(language).map(showAs(connectorKindSchema)),
      }),
    );

    addObjectRoutes(app, {
      path: "/connectors",
      access: auditorsAndOwners,
      params: connectorParamsSchema,
      shown: connectorSchema,
      find: async (key: string, { store, caller }: Reading) => {
        requireSeenConnector(caller, key);
        return await findConnector(store, key);
      },
      show: showConnectors,
      list: {
        summary: "List connectors",
        query: connectorQuerySchema,
        load: async (request, { enabled }, { store, caller }) =>
          await store.connectors.list({ ...request, enabled, ids: seenIds(caller, "connectors") }),
      },
      create: {
        summary: "Add a connector",
        description: "Needs a connector key, see `GET /connector-keys`: without one nothing could be stored.",
        errors: ["connector_key_unavailable"],
        body: create,
        idOf: ({ key }) => key,
        async save({ clientSecret = null, ...after }, { store, context: { connectorVault: vault } }) {
          const sealed = await sealConnector({ key: after.key, clientSecret }, { store, vault });
          return async (work) => await saveConnector({ before: undefined, after, sealed }, work);
        },
      },
      read: { summary: "Show a connector" },
      change: {
        summary: "Change a connector",
        description:
          "With another client id or another token endpoint everybody has to connect again. A preview says what a change means for people.",
        errors: ["connector_key_unavailable"],
        body: patch,
        async save(
          { clientSecret, limits = {}, ...change },
          { store, context: { connectorVault: vault } },
          key,
        ) {
          await findConnector(store, key);
          const sealed = await sealConnector({ key, clientSecret }, { store, vault });
          return async (found, work) => {
            const { connections: _connections, test: _test, ...before } = found;
            const {
              clientSecret: _secret,
              createdAt: _at,
              updatedAt: _to,
              version: _v,
              id: _id,
              ...kept
            } = before;
            const after = { ...kept, ...given(change), limits: completeLimits(limits, kept.limits) };
            await saveConnector({ before, after, sealed }, work);
          };
        },
        reach: reachOfConnector,
      },
      remove: {
        summary: "Remove a connector",
        description: "Refused while somebody has an account connected there.",
        errors: ["in_use"],
        run: removeConnector,
        reach: () => ({}),
      },
    });

    app.post(
      "/connectors/discoveries",
      {
        config: { access: administrators },
        schema: {
          summary: "Look at a third party by its issuer",
          description:
            "Reads its metadata (OpenID Connect Discovery, RFC 8414) and says what is missing. Stores nothing.",
          body: discovery,
          response: { 200: connectorDiscoverySchema },
        },
      },
      async ({ body, admin: { context, say } }) => await probeThirdParty(body, { context, say }),
    );

    app.post(
      "/connectors/:key/tests",
      {
        config: {
          access: administrators,
          errors: ["not_found", "version_conflict", "connector_key_unavailable"],
        },
        schema: {
          summary: "Test the credentials of a connector",
          description:
            "Asks the token endpoint to redeem a made-up code: a third party that knows the client says that the code is wrong, another one that the client is. Nobody's account is used. The result is kept with the connector until its credentials change.",
          params: connectorParamsSchema,
          response: { 200: connectorTestSchema },
        },
      },
      async ({ params: { key }, admin: { store, context, change, now } }) => {
        const found = await findConnector(store, key);
        const testResult = await needingConnectorKey(() => context.connectorProvider.testCredentials(found));
        const test = { ...testResult, testedAt: now };
        await change((work) => saveConnectorTest(found, test, work));
        return showAs(connectorTestSchema)(test);
      },
    );

    app.post(
      "/connectors/:key/disconnections",
      {
        config: { access: administrators, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Disconnect everybody",
          description:
            "Nothing is sent with these accounts from then on. The tokens are revoked and deleted in the background; people can connect again unless the connector is disabled.",
          params: connectorParamsSchema,
          response: { 202: connectorDisconnectionsSchema },
        },
      },
      async ({ params: { key }, admin: { change } }) =>
        await change(
          async (work) => await disconnectEverybody(await findConnector(work.store, key), work),
          reachOfDisconnecting(key),
        ),
    );
  },
};

function showConnectors(
  connectors: readonly ListedConnector[],
  { context: { config, connectorVault } }: Reading,
): readonly Connector[] {
  return connectors.map((connector) => {
    const { key, clientSecret } = connector;
    return showAs(connectorSchema)({
      ...connector,
      hasClientSecret: clientSecret !== null,
      keyReadable: clientSecret === null || connectorVault.readable(sealedKeyId(clientSecret)),
      callbackUrl: callbackUrlOf(config.issuer, key),
    });
  });
}
