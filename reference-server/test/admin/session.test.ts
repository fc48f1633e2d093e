import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
beforeAll(async () => void (server = await createAdminServer()));
afterAll(() => server.close());

test("says who is signed in, and gives the token for what changes something", async () => {
  const { status, body } = await server.request("GET", "/session");
  expect(status).toBe(200);
  expect(body).toEqual({
    user: { id: server.ada.user.id, email: "ada@acme.example", name: "Ada" },
    roles: ["administrator"],
    may: expect.arrayContaining(["GET /session", "PATCH /settings"]) as unknown,
    csrfToken: server.ada.headers["x-authz-csrf"],
    installation: { name: "Authz", hasLogo: false },
    issuer: "http://127.0.0.1:3000",
    version: "0.0.0",
  });
});
