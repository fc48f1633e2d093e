import { afterEach, beforeEach, expect, test } from "vitest";
import { initialise } from "../../src/upkeep/start/initialise.js";
import { createKeysCommand } from "../../src/commands/keys.js";
import { publicationSeconds } from "../../src/oauth/keys/rotate-keys.js";
import { runCommand } from "../support/run-command.js";
import { createTestServer, type TestServer } from "../support/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
  await initialise(server.context);
});
afterEach(() => server.close());

/** Runs `authz-server keys …` and returns what it prints. */
async function keys(...args: string[]): Promise<string> {
  return (await runCommand(createKeysCommand, server.context, ...args)).text;
}

test("an operator rotates the key with four commands", async () => {
  const { kid: first } = server.context.config.signingKey;
  server.clock.advance(60);
  const staged = await keys("stage");
  const kid = staged.split(" ", 1)[0] ?? "";
  expect(staged).toBe(
    `${kid} is staged.\nActivate it from 2026-11-20T12:16:00.000Z on: authz-server keys activate ${kid}\n`,
  );
  await expect(keys("activate", kid)).rejects.toThrow("may sign from 2026-11-20T12:16:00.000Z");
  server.clock.advance(publicationSeconds);
  expect(await keys("activate", kid)).toBe(
    `${kid} signs from now on.\n${first} stays in the key set until 2026-11-20T12:31:00.000Z.\n`,
  );
  expect(await keys("list")).toBe(
    `${kid}  active   signing since 2026-11-20T12:16:00.000Z\n` +
      `${first}  retired  in the key set until 2026-11-20T12:31:00.000Z, from the environment\n`,
  );
  expect(await keys("retire", first, "--emergency")).toContain(`${first} is retired`);
  expect(await keys("list")).toContain("left the key set at 2026-11-20T12:16:00.000Z");
});

test("the list and a new key are also there as JSON, without anything private", async () => {
  server.clock.advance(60);
  const staged = JSON.parse(await keys("stage", "--json")) as { kid: string };
  const list = await keys("list", "--json");
  expect(JSON.parse(list)).toMatchObject([
    { kid: staged.kid, state: "staged", inKeySet: true, activatableFrom: "2026-11-20T12:16:00.000Z" },
    { kid: server.context.config.signingKey.kid, state: "active", inKeySet: true },
  ]);
  expect(list).not.toMatch(/jwk/i);
});
