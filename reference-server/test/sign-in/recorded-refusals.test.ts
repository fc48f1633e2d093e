import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalLimits } from "../../src/audit/refusals.js";
import { Browser } from "../support/browser.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

test("a browser that says again and again that the provider refused does not fill the audit trail", async () => {
  const { store } = system.server.context;
  const hour = Math.floor(Date.now() / 3_600_000) * 60;
  await store.rateLimits.add(
    // Whichever hour it is when they come.
    [59, 119].map((minute) => ({
      key: "refusal.address 127.0.0.1",
      minute: hour + minute,
      count: refusalLimits.address - 2,
    })),
  );
  for (let time = 0; time < 6; time += 1) {
    const browser = new Browser(({ origin }) => origin === system.idp.issuer);
    const left = await browser.open(`${system.issuer}/sign-in`);
    const state = stateOf(left.url);
    const page = await browser.open(
      `${system.issuer}/sign-in/callback?state=${state}&error=access_denied&iss=${encodeURIComponent(system.idp.issuer)}`,
    );
    expect(page.status).toBe(403);
  }

  const { server, database } = system;
  await server.close();
  expect(await system.audit("sign_in.refused")).toHaveLength(2);
  const sums = await database.query("SELECT event, count::integer FROM audit_refusals");
  expect(sums).toMatchObject([
    {
      count: 4,
      event: {
        type: "sign_in.refused",
        address: "127.0.0.1",
        details: { provider: "acme", reason: "provider_refused" },
      },
    },
  ]);
});

/** The state with which the server sends the browser to the provider. */
function stateOf(url: URL): string {
  const state = url.searchParams.get("state");
  if (state === null) throw new Error(`${url.href} has no state.`);
  return state;
}
