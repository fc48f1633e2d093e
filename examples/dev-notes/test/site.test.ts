import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDevNotes } from "../src/index.js";
import { app, type NotesWithApp, startNotesWithApp } from "./support/notes-with-app.js";

let world: NotesWithApp;

beforeAll(async () => {
  world = await startNotesWithApp();
});

afterAll(async () => {
  await world.close();
});

describe("the site of Notes", () => {
  test("shows an account its notes and the apps with access, and takes the access away", async () => {
    const config = await world.configure();
    const account = new URL("/accounts/bruno-home", world.notes.issuer);
    const granted = await world.connect(config, { account: "bruno-home" });
    const browser = world.openBrowser();
    expect((await browser.open(new URL(world.notes.issuer))).html).toContain("bruno@home.example");
    const page = await browser.open(account);
    expect(page.html).toContain("Bread");
    expect(page.html).toContain("Acme &lt;dev&gt;");
    const forged = await browser.submit(
      { action: account, fields: { app: "authz" } },
      {},
      { origin: "http://attacker.example" },
    );
    expect(forged.status).toBe(403);
    expect(await openid.tokenIntrospection(config, granted.access_token)).toMatchObject({ active: true });
    const after = await browser.submit(
      { action: account, fields: { app: "authz" } },
      {},
      { origin: world.notes.issuer },
    );
    expect(after.html).not.toContain("Acme &lt;dev&gt;");
    await expect(openid.refreshTokenGrant(config, granted.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("is there for its own address only", async () => {
    await expect(startDevNotes({ clients: [app], host: "0.0.0.0" })).rejects.toThrow(TypeError);
    const missing = await world.openBrowser().open(new URL("/accounts/mallory", world.notes.issuer));
    expect(missing.status).toBe(404);
  });
});
