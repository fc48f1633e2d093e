import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerAdmin } from "../../src/admin/routes.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";

type Content = Readonly<Record<string, { readonly schema: unknown }>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

let server: AdminServer;
let document: OpenApiDocument;
beforeAll(async () => {
  server = await createAdminServer();
  const answer = await server.request("GET", "/openapi.json");
  document = answer.body as unknown as OpenApiDocument;
});
afterAll(() => server.close());

const toText = (schema: unknown) => JSON.stringify(schema);
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** What Fastify is told to route to, below the address of the API. */
async function listRoutes(): Promise<string[]> {
  const app = fastify();
  const routes: string[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    const path = url.replace("/api/admin/v1", "").replaceAll(/:(\w+)/g, "{$1}");
    if (method !== "HEAD" && path !== "/*") routes.push(`${String(method)} ${path}`);
  });
  await registerAdmin(app, server.context);
  await app.close();
  return routes;
}

describe("the OpenAPI document", () => {
  test("describes every route, and each once", async () => {
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.sort()).toEqual((await listRoutes()).sort());
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(document.servers).toEqual([{ url: "http://127.0.0.1:3000/api/admin/v1" }]);
  });

  test("is docs/reference/openapi.json, but for the address and the version of the server", async () => {
    const committed = {
      ...document,
      info: { ...document.info, version: "1" },
      servers: [{ url: "https://authz.example.com/api/admin/v1" }],
    };
    const file = new URL("../../../docs/reference/openapi.json", import.meta.url);
    await expect(`${JSON.stringify(committed, null, 2)}\n`).toMatchFileSnapshot(fileURLToPath(file));
  });

  test("has the form of OpenAPI 3.1: every parameter, reference and tag leads somewhere", () => {
    expect(document.openapi).toBe("3.1.0");
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { path, operation } of operations()) {
      expect(tags.has(operation.tags[0] ?? "")).toBe(true);
      const names = (operation.parameters ?? []).filter(({ in: place }) => place === "path");
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      expect(names.map(({ name }) => name).sort()).toEqual(wanted.sort());
      expect(Object.keys(operation.responses).some((status) => status.startsWith("2"))).toBe(true);
    }
    const components = new Set(Object.keys(document.components.schemas));
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    for (const [, reference = ""] of references) {
      expect(components).toContain(reference.replace("#/components/schemas/", ""));
    }
    expect(JSON.stringify(document)).not.toContain("$defs");
  });

  test("has JSON Schemas only, of the draft that OpenAPI 3.1 takes", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schemas = operations().flatMap(({ operation }) => [
      ...(operation.parameters ?? []).map(({ schema }) => schema),
      ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
      ...Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.values(content).map(({ schema }) => schema),
      ),
    ]);
    const different = new Set([...schemas, ...Object.values(document.components.schemas)].map(toText));
    for (const schema of different) expect(ajv.validateSchema(JSON.parse(schema) as object)).toBe(true);
  });

  test("says what the server really answers", async () => {
    const readable = operations().filter(
      ({ method, path, operation }) =>
        method === "get" && !path.includes("{") && operation.responses["200"]?.content?.["application/json"],
    );
    const answers = await Promise.all(
      readable.map(async ({ path, operation }) => {
        const { status, body } = await server.request("GET", path);
        const schema = operation.responses[String(status)]?.content?.["application/json"]?.schema;
        return { path, status, body, schema };
      }),
    );
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "openapi", components: document.components });
    for (const { path, status, body, schema } of answers) {
      const text = toText(schema).replaceAll('"#/components', '"openapi#/components');
      const matches = ajv.compile(JSON.parse(text) as object);
      expect([path, status, matches(body) ? [] : matches.errors]).toEqual([path, status, []]);
      expect([200, 400]).toContain(status);
    }
  });

  test("names no secret among what comes back", () => {
    const answers = operations().map(({ operation }) => operation.responses);
    expect(JSON.stringify(answers)).not.toMatch(/"(clientSecret|secret|privateJwk|tokenHash)":/);
  });
});

describe("the page", () => {
  test("lists every operation, without a script", async () => {
    const { status, headers, text } = await server.request("GET", "/docs");
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    for (const { operation } of operations()) expect(text).toContain(`id="${operation.operationId}"`);
    expect(text).not.toMatch(/<script|style=|onclick=/);
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    for (const id of links) expect(text).toContain(`id="${id ?? ""}"`);
  });

  test("cannot be written into by the installation's name", async () => {
    const { store } = server.context;
    await server.database.query("UPDATE settings SET installation_name = '<b>\"&'");
    expect((await store.settings.get()).installationName).toBe('<b>"&');
    const { text } = await server.request("GET", "/docs");
    expect(text).not.toContain("<b>");
  });
});
