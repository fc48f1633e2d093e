import { type AdminServer, createAdminServer } from "./admin.js";

/** A server with scopes that connectors can require, and an administrator's requests about connectors. */
export interface ConnectorAdmin {
  readonly server: AdminServer;
  readonly post: (body: object) => ReturnType<AdminServer["request"]>;
  readonly show: (key: string) => Promise<Record<string, unknown>>;
  readonly patch: (key: string, body: object, version: number) => ReturnType<AdminServer["request"]>;
  readonly remove: (key: string, version: number) => ReturnType<AdminServer["request"]>;
}

export const connectorSecret = "a very secret text";

export const notesConnector = {
  key: "notes",
  kind: "oauth2",
  name: "Notes",
  authorizationEndpoint: "https://login.notes.example/authorize",
  tokenEndpoint: "https://login.notes.example/token",
  clientId: "authz",
  clientSecret: connectorSecret,
  scopes: [
    { scope: "notes:read", required: true },
    { scope: "notes:write", byDefault: false },
  ],
  requiredScopes: ["notes:use"],
  requestPrefixes: ["https://api.notes.example/v1"],
  pathTemplates: ["/v1/notes/{note}"],
};

export async function createConnectorAdmin(): Promise<ConnectorAdmin> {
  const server = await createAdminServer({ AUTHZ_CONNECTOR_KEK: Buffer.alloc(32, 7).toString("base64") });
  const at = new Date(server.clock());
  const { scopes } = server.context.store;
  await scopes.save({ key: "notes:use", description: "Use notes", system: false }, at);
  await scopes.save({ key: "notes:more", description: "Use more of notes", system: false }, at);
  return {
    server,
    post: async (body) => await server.request("POST", "/connectors", { body }),
    show: async (key) => (await server.request("GET", `/connectors/${key}`)).body,
    patch: async (key, body, version) =>
      await server.request("PATCH", `/connectors/${key}`, { body, version }),
    remove: async (key, version) => await server.request("DELETE", `/connectors/${key}`, { version }),
  };
}
