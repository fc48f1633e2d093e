import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTestIssuer } from "@authz/testing";
import type { AuthzOptions } from "@authz/verify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp as createExpress } from "../../../examples/contracts-express/src/app.js";
import { createApp as createFastify } from "../../../examples/contracts-fastify/src/app.js";
import { createApp as createKoa } from "../../../examples/contracts-koa/src/app.js";
import { createApp as createNode } from "../../../examples/node-http/src/app.js";

interface Listening {
  readonly origin: string;
  close(): unknown;
}

interface Example {
  readonly folder: string;
  readonly scopes: readonly string[];
  readonly start: (issuer: string, options: AuthzOptions) => Promise<Listening>;
}

const readAndWrite = ["contracts:read", "contracts:write"];

const examples: readonly Example[] = [
  {
    folder: "contracts-express",
    scopes: readAndWrite,
    start: (issuer, options) => listening(createExpress(issuer, options).app.listen(0, "127.0.0.1")),
  },
  {
    folder: "contracts-koa",
    scopes: readAndWrite,
    start: (issuer, options) => listening(createKoa(issuer, options).app.listen(0, "127.0.0.1")),
  },
  {
    folder: "contracts-fastify",
    scopes: readAndWrite,
    async start(issuer, options) {
      const { app } = createFastify(issuer, options);
      return { origin: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
    },
  },
  {
    folder: "node-http",
    scopes: ["contracts:read"],
    start: (issuer, options) => listening(createNode(issuer, options).app.listen(0, "127.0.0.1")),
  },
];

async function listening(server: Server): Promise<Listening> {
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

describe.each(examples)("The contracts API in examples/$folder", async ({ scopes, start }) => {
  const issuer = await createTestIssuer({ supportedScopes: scopes });
  const read = { url: "/api/contracts", scopes: ["contracts:read"] };
  let app: Listening;

  beforeAll(async () => {
    app = await start(issuer.url, issuer.options);
  });
  afterAll(() => app.close());

  const get = (path: string, headers: object = {}) =>
    fetch(`${app.origin}${path}`, { headers: { ...headers } });

  it("lists the contracts for an employee who may read them", async () => {
    const answer = await get(read.url, await issuer.signRequest({ ...read, subject: "ada" }));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      requested_by: "ada",
      contracts: [
        { id: "C-1001", customer: "Northwind Traders", status: "active" },
        { id: "C-1002", customer: "Contoso Logistics", status: "draft" },
        { id: "C-1003", customer: "Fabrikam Robotics", status: "ended" },
      ],
    });
  });

  it("answers 401 without authorization, 403 without the scope, and 404 elsewhere", async () => {
    const answers = await Promise.all([
      get(read.url),
      get(read.url, await issuer.defects.replayed(read)),
      get(read.url, await issuer.defects.missingScope(read)),
      get("/elsewhere"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 404]);
  });

  it("publishes how to list contracts, with the command to type", async () => {
    const answer = await get("/.well-known/skills", issuer.signCatalogRequest());
    const { skills } = (await answer.json()) as { skills: { id: string; content: string }[] };
    expect(skills).toMatchObject([{ id: "list-contracts", visibility: "HIDDEN_IF_UNALLOWED" }]);
    expect(skills[0]?.content).toContain(
      "authz request --scope contracts:read https://service.test/api/contracts",
    );
  });

  if (!scopes.includes("contracts:write")) return;

  describe("for an employee who may write", () => {
    async function post(body: unknown): Promise<{ status: number; body: unknown }> {
      const signed = await issuer.signRequest({
        method: "POST",
        url: read.url,
        scopes: ["contracts:write"],
      });
      const headers = { ...signed, "content-type": "application/json" };
      const answer = await fetch(app.origin + read.url, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: await answer.json() };
    }

    it("adds a contract", async () => {
      const added = { id: "C-1004", customer: "Acme", status: "draft" };
      expect(await post({ customer: "Acme" })).toEqual({ status: 201, body: added });
    });

    it("deletes a contract once a person has approved it", async () => {
      const url = "/api/contracts/C-1002";
      const remove = async () => {
        const headers = await issuer.signRequest({ method: "DELETE", url, scopes: ["contracts:write"] });
        return (await fetch(app.origin + url, { method: "DELETE", headers: { ...headers } })).status;
      };
      expect(await remove()).toBe(403);
      issuer.approve({ method: "DELETE", url });
      expect(await remove()).toBe(204);
      expect(await remove()).toBe(404);
    });

    it.each([{}, { customer: "" }, { customer: 7 }, []])("reports what is wrong with %j", async (body) => {
      expect(await post(body)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    });
  });
});

/** Each example is there to be copied as a whole, so they share files by repeating them. */
describe("The example services", () => {
  const path = (folder: string, file: string) =>
    join(import.meta.dirname, "../../../examples", folder, "src", file);
  const withFrameworks = ["express", "koa", "fastify"];

  it("have the same data, validation and skill", async () => {
    const copies = await Promise.all(
      withFrameworks.map(async (name) => {
        const text = await readFile(path(`contracts-${name}`, "contracts.ts"), "utf8");
        return text.replaceAll(`@authz/${name}`, "@authz/framework");
      }),
    );
    expect(copies).toEqual(copies.map(() => copies[0]));
  });

  it.each(withFrameworks)("start contracts-%s in a file that fits on a screen", async (name) => {
    const text = await readFile(path(`contracts-${name}`, "main.ts"), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
  });
});
