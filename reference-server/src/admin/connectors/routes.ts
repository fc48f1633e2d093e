import { sealedKeyId } from "../../platform/vault/sealed.js";
import { describeKinds } from "../../connectors/kinds/kinds.js";
import { callbackUrlOf } from "../../connectors/provider/callback-url.js";
import type { ServerContext } from "../../context.js";
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
import { requireVersion } from "../../registry/refusal.js";
import { given } from "../../registry/work.js";
import type { ConnectorTest as StoredTest } from "../../store/connector-tests.js";
import type { ListedConnector } from "../../store/connectors.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { reachOfConnector, reachOfDisconnecting } from "./connector-notes.js";
import { probeThirdParty } from "../../registry/probes/probe-third-party.js";
import {
  type Connector,
  connectorDisconnectionsSchema,
  connectorDiscoverySchema,
  connectorKindsSchema,
  connectorListSchema,
  connectorParamsSchema,
  connectorQuerySchema,
  connectorSchema,
  type ConnectorTest,
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
        schema: {
          summary: "List the kinds of connectors",
          description:
            "What each suggests, in the language of the caller. What stands in braces has to be replaced.",
          response: { 200: connectorKindsSchema },
        },
      },
      async ({ admin: { language } }) => ({
        items: describeKinds(language).map(({ defaults, ...kind }) => ({
          ...kind,
          defaults: {
            ...defaults,
            authorizationParameters: { ...defaults.authorizationParameters },
            scopes: defaults.scopes.map((scope) => ({ ...scope })),
            requestPrefixes: [...defaults.requestPrefixes],
            methods: [...defaults.methods],
            requestHeaders: [...defaults.requestHeaders],
            pathTemplates: [...defaults.pathTemplates],
          },
        })),
      }),
    );

    app.get(
      "/connectors",
      {
        schema: {
          summary: "List connectors",
          querystring: connectorQuerySchema,
          response: { 200: connectorListSchema },
        },
      },
      async ({ query, admin: { store, context } }) => {
        const page = await store.connectors.list({ ...toPageRequest(query), enabled: query.enabled });
        return fromPage(page, { query, show: (connector) => showConnector(connector, context) });
      },
    );

    app.post(
      "/connectors",
      {
        config: { errors: ["already_exists", "connector_key_unavailable"] },
        schema: {
          summary: "Add a connector",
          description:
            "Needs a connector key, see `GET /connector-keys`: without one nothing could be stored.",
          body: create,
          response: { 201: connectorSchema },
        },
      },
      async ({ body: { clientSecret = null, ...after }, admin: { store, context, change } }) => {
        const { key } = after;
        const sealed = await sealConnector({ key, clientSecret }, { store, vault: context.connectorVault });
        return await change(async (work) => {
          await saveConnector({ before: undefined, after, sealed }, work);
          return showConnector(await findConnector(work.store, key), context);
        });
      },
    );

    app.post(
      "/connectors/discoveries",
      {
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

    app.get(
      "/connectors/:key",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show a connector",
          params: connectorParamsSchema,
          response: { 200: connectorSchema },
        },
      },
      async ({ params: { key }, admin: { store, context } }) =>
        showConnector(await findConnector(store, key), context),
    );

    app.patch(
      "/connectors/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "connector_key_unavailable"] },
        schema: {
          summary: "Change a connector",
          description:
            "With another client id or another token endpoint everybody has to connect again. A preview says what a change means for people.",
          params: connectorParamsSchema,
          body: patch,
          response: { 200: connectorSchema },
        },
      },
      async ({ params: { key }, body, admin: { store, context, change, version } }) => {
        await findConnector(store, key);
        const { clientSecret, limits = {}, ...rest } = body;
        const sealed = await sealConnector({ key, clientSecret }, { store, vault: context.connectorVault });
        return await change(async (work) => {
          const found = await findConnector(work.store, key);
          requireVersion(showConnector(found, context), version);
          const { connections: _connections, test: _test, ...before } = found;
          const {
            clientSecret: _secret,
            createdAt: _at,
            updatedAt: _to,
            version: _version,
            id: _id,
            ...kept
          } = before;
          const after = { ...kept, ...given(rest), limits: completeLimits(limits, kept.limits) };
          await saveConnector({ before, after, sealed }, work);
          return showConnector(await findConnector(work.store, key), context);
        }, reachOfConnector(key));
      },
    );

    app.delete(
      "/connectors/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a connector",
          description: "Refused while somebody has an account connected there.",
          params: connectorParamsSchema,
        },
      },
      async ({ params: { key }, admin: { context, change, version } }) =>
        await change(async (work) => {
          const found = await findConnector(work.store, key);
          requireVersion(showConnector(found, context), version);
          await removeConnector(found, work);
        }),
    );

    app.post(
      "/connectors/:key/tests",
      {
        config: { errors: ["not_found", "version_conflict", "connector_key_unavailable"] },
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
        const said = await needingConnectorKey(() => context.connectorProvider.testCredentials(found));
        const test = { ...said, testedAt: now };
        await change((work) => saveConnectorTest(found, test, work));
        return showTest(test);
      },
    );

    app.post(
      "/connectors/:key/disconnections",
      {
        config: { preview: true, errors: ["not_found"] },
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

function showConnector(
  connector: ListedConnector,
  { config, connectorVault }: Pick<ServerContext, "config" | "connectorVault">,
): Connector {
  const { id: _id, clientSecret, createdAt, updatedAt, test, ...shown } = connector;
  return {
    ...shown,
    test: test && showTest(test),
    hasClientSecret: clientSecret !== null,
    keyReadable: clientSecret === null || connectorVault.readable(sealedKeyId(clientSecret)),
    authorizationParameters: { ...connector.authorizationParameters },
    scopes: connector.scopes.map((scope) => ({ ...scope })),
    requiredScopes: [...connector.requiredScopes],
    requestPrefixes: [...connector.requestPrefixes],
    methods: [...connector.methods] as Connector["methods"],
    requestHeaders: [...connector.requestHeaders],
    pathTemplates: [...connector.pathTemplates],
    callbackUrl: callbackUrlOf(config.issuer, connector.key),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function showTest({ testedAt, ...said }: StoredTest): ConnectorTest {
  return { ...said, testedAt: isoTime(testedAt) };
}
