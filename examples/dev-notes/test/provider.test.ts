import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, type NotesWithApp, startNotesWithApp, type Tokens } from "./support/notes-with-app.js";
import type { FilledForm } from "../../../reference-server/test/support/browser.js";

let world: NotesWithApp;

beforeAll(async () => {
  world = await startNotesWithApp();
});

afterAll(async () => {
  await world.close();
});

/** The form that a page submits by itself, with which the provider ends the previous person's session. */
function submitted(page: string): FilledForm {
  const action = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? "");
  const fields = [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)];
  return { action, fields: Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value])) };
}

describe("the provider of Notes", () => {
  test("asks who it is, then whether the app may, and says both in words", async () => {
    const browser = world.openBrowser();
    const signIn = await browser.open((await begin(await world.configure(), "notes:read")).url);
    expect(signIn.html).toContain("ada@home.example");
    expect(signIn.html).toContain("Acme &lt;dev&gt;");
    const consent = await browser.submit({ action: signIn.url, fields: { account: "bruno-home" } });
    expect(consent.html).toContain("Acme &lt;dev&gt; wants to use your notes");
    expect(consent.html).toContain("bruno@home.example");
    expect(consent.html).toContain("Read all your notes");
    expect(consent.html).not.toContain("Create and delete notes");
  });

  test("gives the scopes that were allowed, and a refresh token that works once", async () => {
    const config = await world.configure();
    const first = await world.connect(config, { scope: "notes:read" });
    expect(first).toMatchObject({ scope: "notes:read", expires_in: 120 });
    expect(world.tokens).toEqual(expect.arrayContaining([first.access_token, first.refresh_token]));
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? "");
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await expect(openid.refreshTokenGrant(config, first.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
    // The reuse of a refresh token shows a copy, so all tokens are revoked.
    await expect(openid.refreshTokenGrant(config, second.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("asks again each time, and revokes all that the app has of the account at once", async () => {
    const config = await world.configure();
    const browser = world.openBrowser();
    const granted: Tokens[] = [];
    for (let times = 0; times < 2; times += 1) {
      const { url, checks } = await begin(config, "notes:read");
      const signIn = await browser.open(url);
      const consent = await browser.submit({ action: signIn.url, fields: { account: "ada-home" } });
      expect(consent.html).toContain("wants to use your notes");
      const back = await browser.submit({ action: consent.url, fields: { answer: "allow" } });
      granted.push(await openid.authorizationCodeGrant(config, back.url, checks));
    }
    await openid.tokenRevocation(config, granted[1]?.refresh_token ?? "");
    await expect(openid.refreshTokenGrant(config, granted[0]?.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("keeps the grant when another person signs in in the same browser", async () => {
    const config = await world.configure();
    const browser = world.openBrowser();
    const { url, checks } = await begin(config, "notes:read");
    const consent = await browser.submit({
      action: (await browser.open(url)).url,
      fields: { account: "ada-home" },
    });
    const back = await browser.submit({ action: consent.url, fields: { answer: "allow" } });
    const granted = await openid.authorizationCodeGrant(config, back.url, checks);
    const other = await browser.open((await begin(config, "notes:read")).url);
    const leave = await browser.submit({ action: other.url, fields: { account: "bruno-home" } });
    await browser.submit({
      action: (await browser.submit(submitted(leave.html))).url,
      fields: { answer: "allow" },
    });
    expect((await world.call(granted.access_token, "/api/notes")).status).toBe(200);
    await expect(openid.refreshTokenGrant(config, granted.refresh_token ?? "")).resolves.toMatchObject({
      scope: "notes:read",
    });
  });

  test("takes everything back when the refresh token is revoked", async () => {
    const config = await world.configure();
    const granted = await world.connect(config);
    expect(await openid.tokenIntrospection(config, granted.access_token)).toMatchObject({ active: true });
    await openid.tokenRevocation(config, granted.refresh_token ?? "");
    expect(await openid.tokenIntrospection(config, granted.access_token)).toEqual({ active: false });
    expect((await world.call(granted.access_token, "/api/notes")).status).toBe(401);
  });

  test.each([
    { name: "the sign-in is canceled", answers: [{ cancel: "yes" }] },
    { name: "an unknown account", answers: [{ account: "mallory" }] },
    { name: "the owner denies", answers: [{ account: "ada-home" }, { answer: "deny" }] },
  ])("sends the app back with access_denied: $name", async ({ answers }) => {
    const browser = world.openBrowser();
    let page = await browser.open((await begin(await world.configure(), "notes:read")).url);
    for (const answer of answers) {
      page = await browser.submit({ action: page.url, fields: answer });
    }
    expect(page.url.searchParams.get("error")).toBe("access_denied");
  });

  test("insists on PKCE", async () => {
    const { url } = await begin(await world.configure(), "notes:read");
    url.searchParams.delete("code_challenge");
    url.searchParams.delete("code_challenge_method");
    const back = await world.openBrowser().open(url);
    expect(back.url.searchParams.get("error")).toBe("invalid_request");
  });

  test("answers in words when the request is not this browser's", async () => {
    const page = await world.openBrowser().open((await begin(await world.configure(), "notes:read")).url);
    const stranger = await world.openBrowser().submit({ action: page.url, fields: { account: "ada-home" } });
    expect(stranger.status).toBe(400);
    expect(stranger.html).toContain("This request is over");
  });
});
