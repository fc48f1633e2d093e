import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTestIssuer } from "@authz/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../src/app.js";
import { scopes } from "../src/contracts.js";

describe("The contracts API on plain node:http", async () => {
  const issuer = await createTestIssuer({ supportedScopes: scopes });
  const { app } = createApp(issuer.url, issuer.options);
  let server: Server;
  let origin = "";

  beforeAll(async () => {
    server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  it("lists the contracts for an employee who may read them", async () => {
    const headers = await issuer.signRequest({
      url: "/api/contracts",
      scopes: ["contracts:read"],
      subject: "ada",
    });
    const answer = await fetch(`${origin}/api/contracts`, { headers: { ...headers } });
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

  it("answers 401 without authorization, and 403 without the scope", async () => {
    const request = { url: "/api/contracts", scopes: ["contracts:read"] };
    const answers = await Promise.all([
      fetch(`${origin}/api/contracts`),
      fetch(`${origin}/api/contracts`, { headers: { ...(await issuer.defects.replayed(request)) } }),
      fetch(`${origin}/api/contracts`, { headers: { ...(await issuer.defects.missingScope(request)) } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403]);
  });

  it("answers 404 to everything else", async () => {
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);
  });

  it("publishes how to list contracts, with the command to type", async () => {
    const answer = await fetch(`${origin}/.well-known/skills`, { headers: issuer.signCatalogRequest() });
    const { skills } = (await answer.json()) as { skills: { id: string; content: string }[] };
    expect(skills).toMatchObject([{ id: "list-contracts", visibility: "HIDDEN_IF_UNALLOWED" }]);
    expect(skills[0]?.content).toContain(
      "authz request --scope contracts:read https://service.test/api/contracts",
    );
  });
});
