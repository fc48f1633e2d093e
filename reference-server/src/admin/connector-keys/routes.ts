import { describeConnectorKeys } from "../../connectors/vault/describe-keys.js";
import { rewrapSome } from "../../connectors/vault/rewrap-keys.js";
import { needingConnectorKey } from "../../registry/connector.js";
import { defineRoute } from "../http/define-route.js";
import type { AdminArea } from "../http/route.js";
import { connectorKeyRewrapSchema, connectorKeysSchema } from "./schemas.js";

/** So many that a transit engine answers within one request. */
const batchSize = 100;

const getKeys = defineRoute({
  method: "GET",
  path: "/connector-keys",
  summary: "Show the keys of connectors",
  description: "Says whether something can be sealed now, and what each key has sealed.",
  answer: connectorKeysSchema,
  handle: async (_input, { context, texts }) => {
    const { state, problem, activeKeyId, keys } = await describeConnectorKeys(context);
    const shown =
      problem === null || state === "ready" ? problem : texts.refusals.connectorKey[state](problem);
    return { state, problem: shown, activeKeyId, keys: keys.map((key) => ({ ...key })) };
  },
});

const postRewrap = defineRoute({
  method: "POST",
  path: "/connector-keys/rewraps",
  summary: "Seal data keys again with the active key",
  description: "One batch. Call it again until `remaining` is 0; tokens are not touched, and nobody waits.",
  answer: connectorKeyRewrapSchema,
  errors: ["connector_key_unavailable"],
  handle: async (_input, { context, actor, now: at, requestId }) =>
    await needingConnectorKey(() => rewrapSome({ limit: batchSize, actor, at, requestId }, context)),
});

/** The keys that seal what connectors and connections have to keep secret. */
export function connectorKeyArea(): AdminArea {
  return {
    tag: "Connector keys",
    description: "The keys that seal client secrets of connectors and tokens of connections.",
    routes: [getKeys, postRewrap],
  };
}
