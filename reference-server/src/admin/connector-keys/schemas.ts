import { z } from "zod";

const connectorKeySchema = z.strictObject({
  keyId: z.string(),
  active: z.boolean().describe("What is stored from now on is under it"),
  readable: z.boolean().describe("This server can open what is under it"),
  connectors: z.int().describe("Client secrets that are under it"),
  connections: z.int().describe("Connections whose tokens are under it"),
});

/** `GET /connector-keys` */
export const connectorKeysSchema = z
  .strictObject({
    state: z
      .enum(["ready", "not_configured", "malformed", "unknown_key", "unreadable", "unavailable"])
      .describe("Whether something can be stored now"),
    problem: z
      .string()
      .nullable()
      .describe("What to set or to check; also when a key that only opens is wrong"),
    activeKeyId: z.string().nullable(),
    keys: z.array(connectorKeySchema),
  })
  .meta({ id: "ConnectorKeys" });
export type ConnectorKeys = z.infer<typeof connectorKeysSchema>;

/** `POST /connector-keys/rewraps` */
export const connectorKeyRewrapSchema = z.strictObject({
  rewrapped: z.int().describe("How many are under the active key now, that were not before"),
  remaining: z.int().describe("How many are still under another key; call again until it is 0"),
  unreadable: z.int().describe("How many do not open with the keys of this server, and stay as they are"),
});
export type ConnectorKeyRewrap = z.infer<typeof connectorKeyRewrapSchema>;
