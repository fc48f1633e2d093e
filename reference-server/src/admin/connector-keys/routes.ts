import { describeKeys } from "../../encryption-keys/describe-keys.js";
import { rewrapSome } from "../../encryption-keys/rewrap-keys.js";
import { keyProblem, needingConnectorKey } from "../../registry/connector.js";
import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { connectorKeyRewrapSchema, connectorKeysSchema } from "./schemas.js";

/** So many that a transit engine answers within one request. */
const batchSize = 100;

/** The keys that seal what connectors and connections have to keep secret. */
export const connectorKeyArea: AdminArea = {
  tag: "Connector keys",
  description: "The keys that seal client secrets of connectors and tokens of connections.",
  async routes(app) {
    app.get(
      "/connector-keys",
      {
        config: { access: auditors },
        schema: {
          summary: "Show the keys of connectors",
          description: "Says whether something can be sealed now, and what each key has sealed.",
          response: { 200: connectorKeysSchema },
        },
      },
      async ({ admin: { context, say } }) => {
        const { state, problem, activeKeyId, keys } = await describeKeys("connectors", context);
        const shown = problem === null || state === "ready" ? problem : say(keyProblem(state, problem));
        return { state, problem: shown, activeKeyId, keys: keys.map(({ secrets: _secrets, ...key }) => key) };
      },
    );

    app.post(
      "/connector-keys/rewraps",
      {
        config: { access: administrators, errors: ["connector_key_unavailable"] },
        schema: {
          summary: "Seal data keys again with the active key",
          description:
            "One batch. Call it again until `remaining` is 0; tokens are not touched, and nobody waits.",
          response: { 200: connectorKeyRewrapSchema },
        },
      },
      async ({ admin: { context, actor, now: at, requestId } }) =>
        await needingConnectorKey(() =>
          rewrapSome({ purpose: "connectors", limit: batchSize, actor, at, requestId }, context),
        ),
    );
  },
};
