import { sealConnector } from "../../registry/apply/seal-connector.js";
import { describeKinds } from "../../connectors/kinds/kinds.js";
import type { ServerContext } from "../../context.js";
import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AreaOptions } from "../door/area.js";
import type { AdminArea, AdminRoute } from "../http/route.js";
import { reachOfConnector, reachOfDisconnecting } from "./connector-notes.js";
import { discoverConnector } from "./discover-connector.js";
import { needingConnectorKey } from "./key-unavailable.js";
import { disconnectEverybody, removeConnector } from "./remove-connector.js";
import { changeConnector, createConnector, sealPatch } from "./save-connector.js";
import {
  connectorDisconnectionsSchema,
  connectorDiscoverySchema,
  connectorKindsSchema,
  connectorListSchema,
  connectorParamsSchema,
  connectorQuerySchema,
  connectorSchema,
  createConnectorInputs,
} from "./schemas.js";
import { type ConnectorView, findConnector, showConnector } from "./show-connector.js";

/** Third parties whose accounts people connect. */
export function connectorArea(options: AreaOptions): AdminArea {
  return {
    tag: "Connectors",
    description: "Third parties whose accounts people connect, and the rules by which agents use them.",
    routes: [
      listKinds,
      listConnectors,
      postConnector(options),
      postDiscovery(options),
      getConnector,
      patchConnector(options),
      deleteConnector,
      postDisconnections,
    ],
  };
}

function viewOf({ config, connectorVault: vault }: ServerContext): ConnectorView {
  return { issuer: config.issuer, vault };
}

const listKinds = defineRoute({
  method: "GET",
  path: "/connector-kinds",
  summary: "List the kinds of connectors",
  description: "What each suggests, in the language of the caller. What stands in braces has to be replaced.",
  answer: connectorKindsSchema,
  handle: async (_input, { texts }) => ({
    items: describeKinds(texts.language).map(({ defaults, ...kind }) => ({
      ...kind,
      defaults: {
        ...defaults,
        authorizationParameters: { ...defaults.authorizationParameters },
        scopes: defaults.scopes.map((scope) => ({ ...scope })),
        requestPrefixes: [...defaults.requestPrefixes],
        methods: [...defaults.methods],
        pathTemplates: [...defaults.pathTemplates],
      },
    })),
  }),
});

const listConnectors = defineRoute({
  method: "GET",
  path: "/connectors",
  summary: "List connectors",
  query: connectorQuerySchema,
  answer: connectorListSchema,
  handle: async ({ query }, { store, context }) => {
    const page = await store.connectors.list({ ...toPageRequest(query), enabled: query.enabled });
    const view = viewOf(context);
    return fromPage(page, { query, show: (connector) => showConnector(connector, view) });
  },
});

function postConnector(options: AreaOptions): AdminRoute {
  return defineRoute({
    method: "POST",
    path: "/connectors",
    summary: "Add a connector",
    description: "Needs a connector key, see `GET /connector-keys`: without one nothing could be stored.",
    status: 201,
    body: createConnectorInputs(options).create,
    answer: connectorSchema,
    errors: ["already_exists", "connector_key_unavailable"],
    handle: async ({ body: definition }, { store, context, change }) => {
      const view = viewOf(context);
      const { connectorVault: vault } = context;
      const sealed = await needingConnectorKey(sealConnector(definition, { store, vault }));
      return await change(
        async (work) => await createConnector({ definition, sealed }, { ...work, ...view }),
      );
    },
  });
}

function postDiscovery(options: AreaOptions): AdminRoute {
  return defineRoute({
    method: "POST",
    path: "/connectors/discoveries",
    summary: "Look at a third party by its issuer",
    description:
      "Reads its metadata (OpenID Connect Discovery, RFC 8414) and says what is missing. Stores nothing.",
    body: createConnectorInputs(options).discovery,
    answer: connectorDiscoverySchema,
    handle: async ({ body }, { context, texts }) => await discoverConnector(body, { context, texts }),
  });
}

const getConnector = defineRoute({
  method: "GET",
  path: "/connectors/{key}",
  summary: "Show a connector",
  params: connectorParamsSchema,
  answer: connectorSchema,
  errors: ["not_found"],
  handle: async ({ params: { key } }, { store, context }) =>
    showConnector(await findConnector(store, key), viewOf(context)),
});

function patchConnector(options: AreaOptions): AdminRoute {
  return defineRoute({
    method: "PATCH",
    path: "/connectors/{key}",
    summary: "Change a connector",
    description:
      "With another client id or another token endpoint everybody has to connect again. A preview says what a change means for people.",
    ifMatch: true,
    preview: true,
    params: connectorParamsSchema,
    body: createConnectorInputs(options).patch,
    answer: connectorSchema,
    errors: ["not_found", "connector_key_unavailable"],
    handle: async ({ params: { key }, body, version }, { store, context, change }) => {
      const view = viewOf(context);
      const { connectorVault: vault } = context;
      const sealed = await needingConnectorKey(sealPatch({ key, change: body }, { store, vault }));
      return await change(
        async (work) => await changeConnector({ key, change: sealed, version }, { ...work, ...view }),
        reachOfConnector(key),
      );
    },
  });
}

const deleteConnector = defineRoute({
  method: "DELETE",
  path: "/connectors/{key}",
  summary: "Remove a connector",
  description: "Refused while somebody has an account connected there.",
  ifMatch: true,
  preview: true,
  params: connectorParamsSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { key }, version }, { context, change }) =>
    await change(async (work) => await removeConnector({ key, version }, { ...work, ...viewOf(context) })),
});

const postDisconnections = defineRoute({
  method: "POST",
  path: "/connectors/{key}/disconnections",
  summary: "Disconnect everybody",
  description:
    "Nothing is sent with these accounts from then on. The tokens are revoked and deleted in the background; people can connect again unless the connector is disabled.",
  status: 202,
  preview: true,
  params: connectorParamsSchema,
  answer: connectorDisconnectionsSchema,
  errors: ["not_found"],
  handle: async ({ params: { key } }, { change }) =>
    await change(async (work) => await disconnectEverybody(key, work), reachOfDisconnecting(key)),
});
