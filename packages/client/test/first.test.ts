import { expect, it } from "vitest";
import { startTestWorld } from "./support/test-world.js";

it("works", async () => {
  const world = await startTestWorld();
  const client = await world.signedIn();
  console.log(await client.session(), await client.me());
  const r = await client.authorizedFetch(
    `${world.service.origin}/api/contracts?x=1`,
    {},
    { scopes: ["contracts:read"] },
  );
  console.log(r.status, await r.text());
  console.log(
    world.server.seen.map((s) => s.path),
    world.service.seen.map((s) => s.path),
  );
  await world.close();
  expect(1).toBe(1);
});
