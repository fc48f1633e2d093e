import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RawDevice } from "../../support/raw-device.js";
import { type Connecting, startConnecting } from "../connecting.js";

let connecting: Connecting;
let send: (path: string, method?: string) => Promise<{ status: number; headers: Headers; body: string }>;

beforeAll(async () => {
  connecting = await startConnecting();
  await connecting.ada.connect();
  const { system, thirdParty } = connecting;
  const device = await RawDevice.create(system.issuer);
  const { access_token: accessToken = "" } = await device.signIn({}, undefined, "ada");
  const url = `${system.issuer}/api/me/connections/notes/requests`;
  send = async (path, method = "GET") => {
    const dpop = device.signer.sign({ method, url, accessToken });
    const headers = {
      authorization: `DPoP ${accessToken}`,
      dpop,
      "authz-target": `${thirdParty.api}${path}`,
    };
    const response = await fetch(url, { method, headers, redirect: "manual" });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
});
afterAll(() => connecting.close());
beforeEach(() => connecting.thirdParty.failures.clear());

/** As if the access token were over. */
async function expire(): Promise<void> {
  const { database } = connecting.system;
  await database.query("UPDATE connections SET access_expires_at = now() - interval '1 minute'");
}

test("the person's own token opens the third party, and is nowhere in what comes back", async () => {
  const echo = await send("/echo?x=1");
  const seen = JSON.parse(echo.body) as { url: string; rawHeaders: string[] };
  expect(seen.url).toBe("/api/echo?x=1");
  expect(seen.rawHeaders.find((text) => text.startsWith("Bearer "))).toMatch(/^Bearer \*{20,}$/);
  const { headers, body } = await send("/token");
  expect(headers.get("x-token")).toMatch(/^\*+$/);
  expect(body).toMatch(/^before \*+ after$/);
  expect(JSON.parse((await send("/gzip")).body)).toEqual({
    ok: true,
    token: expect.stringMatching(/^\*+$/) as string,
  });
});

test("ten requests with a token that is over share one refresh", async () => {
  const before = connecting.thirdParty.refreshes();
  await expire();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send("/notes")));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(connecting.thirdParty.refreshes()).toBe(before + 1);
});

test("a 401 is handed on as it is, sent once, and the next request refreshes first", async () => {
  const { thirdParty } = connecting;
  const before = thirdParty.refreshes();
  const aMinuteAgo = "now() - interval '61 seconds'";
  await connecting.system.database.query(
    `UPDATE connections SET connected_at = ${aMinuteAgo}, refreshed_at = ${aMinuteAgo}`,
  );
  thirdParty.failures.set("api", { kind: "answer", status: 401, body: '{"error":"invalid_token"}' });
  const { status, headers, body } = await send("/notes");
  expect({ status, body }).toEqual({ status: 401, body: '{"error":"invalid_token"}' });
  expect(headers.get("proxy-status")).toBe("authz; received-status=401");
  expect(headers.get("www-authenticate")).toBeNull();
  expect(thirdParty.refreshes()).toBe(before);
  thirdParty.failures.clear();
  expect((await send("/notes")).status).toBe(200);
  expect(thirdParty.refreshes()).toBe(before + 1);
});

test("a redirect is handed on and not followed", async () => {
  const requests = connecting.thirdParty.apiRequests.length;
  const { status, headers } = await send("/redirect");
  expect({ status, location: headers.get("location") }).toEqual({ status: 302, location: "/api/elsewhere" });
  expect(connecting.thirdParty.apiRequests).toHaveLength(requests + 1);
});

test("without a refresh nothing is sent, and a grant that was taken away asks for a new connection", async () => {
  const { thirdParty } = connecting;
  const requests = thirdParty.apiRequests.length;
  await expire();
  thirdParty.failures.set("token", { kind: "answer", status: 503 });
  const away = await send("/notes");
  expect(away.status).toBe(503);
  expect(JSON.parse(away.body)).toMatchObject({ error: "refresh_unavailable", sent: "no" });
  expect(Number(away.headers.get("retry-after"))).toBeGreaterThan(0);

  thirdParty.failures.clear();
  await thirdParty.revokeGrants();
  await connecting.system.database.query("UPDATE connections SET refresh_not_before = NULL");
  const over = await send("/notes");
  expect(over.status).toBe(409);
  expect(JSON.parse(over.body)).toMatchObject({ error: "reconnect_required", sent: "no" });
  expect(thirdParty.apiRequests).toHaveLength(requests);
});
