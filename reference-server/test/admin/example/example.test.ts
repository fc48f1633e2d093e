import { readFile } from "node:fs/promises";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mountAdmin } from "../../../src/admin/routes.js";
import { type AdminServer, createAdminServer } from "../../support/admin.js";
import { nameArea } from "./routes.js";

const contributing = await readFile(new URL("../../../../CONTRIBUTING.md", import.meta.url), "utf8");

describe("the area that CONTRIBUTING.md walks through", () => {
  test.each(["schemas.ts", "routes.ts"])("is printed there as %s has it", async (file) => {
    const source = await readFile(new URL(file, import.meta.url), "utf8");
    const printed = source.replaceAll("../../../src/admin/", "../").replaceAll("../../../src/", "../../");
    expect(contributing).toContain(printed);
  });

  let server: AdminServer;
  let app: FastifyInstance;
  beforeAll(async () => {
    server = await createAdminServer();
    app = fastify();
    app.decorateRequest("addressOf", null);
    await mountAdmin(app, { context: server.context, areas: [nameArea] });
  });
  afterAll(() => Promise.all([app.close(), server.close()]));

  test("is served behind the door, with its version", async () => {
    const url = "/api/admin/v1/name";
    expect((await app.inject({ url })).statusCode).toBe(401);
    const { headers } = server.ada;
    const shown = await app.inject({ url, headers });
    expect([shown.json(), shown.headers["etag"]]).toEqual([{ name: "Authz", version: 1 }, '"1"']);
    const change = (version: string) =>
      app.inject({
        method: "PATCH",
        url,
        headers: { ...headers, "if-match": version },
        payload: { name: "Acme" },
      });
    expect((await change('"1"')).json()).toEqual({ name: "Acme", version: 2 });
    expect((await change('"1"')).statusCode).toBe(412);
    expect((await server.audit("installation.changed")).at(-1)?.data).toEqual({
      name: { from: "Authz", to: "Acme" },
    });
    expect((await app.inject({ url: `${url}s?limit=1`, headers })).json()).toMatchObject({
      items: [{ key: "authz:administer" }],
    });
  });
});
