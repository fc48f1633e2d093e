import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../tools/src/browser/find-chromium.js";
import { launchBrowser } from "../../tools/src/browser/launch-browser.js";
import { originOf } from "../../tools/src/development/settings.js";
import { type Ended, findPlace, type Place, runScript, type Script } from "./whole-system.js";
import { connectionEvents, readEverything, startThirdParty, type ThirdParty } from "./third-party.js";

const authzCommand = "node_modules/.bin/authz";

let place: Place;
let system: Script;
let browser: Browser;

beforeAll(async () => {
  place = await findPlace();
  // The browser from npm, because it is on every machine. First, because without one nothing is to be left running.
  browser = await launchBrowser(await findChromium([]));
  system = runScript(place, "node", "tools/start.mjs");
  await system.untilPrinted("Ctrl-C stops");
});

afterAll(async () => {
  await browser.close();
  system.child.kill("SIGINT");
  await system.ended;
  place.remove();
});

describe("authz login in a real browser", () => {
  test("signs in a person who allows it, on the device that the page names", async () => {
    const complaints: string[] = [];
    const { address, ended } = await startLogin("allowed");
    const page = await openPage(complaints);
    await page.goto(address);
    await page.getByText("Ada Lovelace").click();
    await expect.poll(() => page.title()).toContain("Allow");
    const shown = await page.locator(".code").textContent();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(/127\.0\.0\.1:\d+\/callback/);
    expect(await page.textContent("body")).toContain("signed in");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain(shown);
    expect(stderr).toContain("Signed in as Ada Lovelace");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("tells the command when the person denies", async () => {
    const { address, ended } = await startLogin("denied");
    const page = await openPage([]);
    await page.goto(address);
    await page.getByText("Ada Lovelace").click();
    await page.getByRole("button", { name: "Deny" }).click();
    const { code, stderr } = await ended;
    expect(code).toBe(4);
    expect(stderr).not.toContain("Signed in");
    await page.context().close();
  });
});

describe("an account at a third party, connected in a real browser", () => {
  let thirdParty: ThirdParty;
  /** All that the commands printed. */
  let printed = "";

  beforeAll(async () => {
    thirdParty = await startThirdParty(place);
  });

  afterAll(async () => {
    await thirdParty.stop();
  });

  async function authz(...args: readonly string[]): Promise<Ended> {
    const ended = await runScript(terminal(), authzCommand, ...args, "--profile", "allowed").ended;
    printed += ended.stdout + ended.stderr;
    return ended;
  }

  test("is connected by a person who signs in here and there, and allows it", async () => {
    const complaints: string[] = [];
    const { address, ended } = await startInBrowser(
      "connections",
      "connect",
      "notes",
      "--profile",
      "allowed",
    );
    const page = await openPage(complaints);
    await page.goto(address);
    await page.getByText("Ada Lovelace").click();
    await page.getByRole("button", { name: "Continue to Notes" }).click();
    await page.getByText("ada@home.example").click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Go back to your terminal").waitFor();
    const { code, stdout, stderr } = await ended;
    printed += stdout + stderr;
    const next = stderr
      .slice(stderr.indexOf("Connected to"))
      .replace(new URL(thirdParty.api).host, "127.0.0.1:3020")
      // The guide is for whoever has one profile.
      .replace(" --profile allowed", "");
    expect(readFileSync(join(place.settings.root, "docs/guides/connections.md"), "utf8")).toContain(next);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Connected to Notes as "ada@home.example"')]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("is called with tokens that appear nowhere: not in the terminal, not in the database, not in a log", async () => {
    const created = await authz("request", "--connection", "notes", "-d", '{"title":"Tea"}', thirdParty.api);
    expect(JSON.parse(created.stdout)).toMatchObject({ title: "Tea", createdBy: "authz" });
    const list = await authz("request", "--connection", "notes", "--json", thirdParty.api);
    expect(JSON.parse(list.stdout)).toMatchObject({
      status: 200,
      body: { notes: [{ title: "Tea" }, {}, {}] },
    });
    expect((await authz("request", "--connection", "notes", `${thirdParty.api}/../account`)).code).toBe(4);
    const written = printed + (await readEverything(place));
    expect(thirdParty.tokens).toHaveLength(2);
    expect(thirdParty.tokens.filter((token) => written.includes(token))).toEqual([]);
  });

  test("is disconnected, and the third party knows", async () => {
    expect(await Promise.all(thirdParty.tokens.map((token) => thirdParty.isActive(token)))).toEqual([
      true,
      true,
    ]);
    const ended = await authz("connections", "disconnect", "notes", "--yes", "--json");
    expect(JSON.parse(ended.stdout)).toMatchObject({ revocation: "confirmed" });
    expect(await Promise.all(thirdParty.tokens.map((token) => thirdParty.isActive(token)))).toEqual([
      false,
      false,
    ]);
    expect((await authz("request", "--connection", "notes", thirdParty.api)).code).toBe(3);
    const path = { host: new URL(thirdParty.api).host, pathTemplate: "/api/notes" };
    expect(await connectionEvents(place)).toMatchObject([
      { type: "connection.created", data: { connector: "notes", scopes: ["notes:read", "notes:write"] } },
      { type: "connection.used", data: { connector: "notes", method: "POST", status: 201, ...path } },
      { type: "connection.used", data: { connector: "notes", method: "GET", status: 200, ...path } },
      { type: "connection.removed", data: { connector: "notes", revocation: "confirmed" } },
    ]);
  });
});

/** A page of somebody who was never here; what the browser complains about, such as a violated policy, is kept. */
async function openPage(complaints: string[]): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return page;
}

/** Where the command is typed: sessions are in files, because not every machine has a keyring that is open. */
function terminal(): Place {
  return { ...place, env: { ...place.env, AUTHZ_TOKEN_STORE: "file" } };
}

/** Types `authz login`. */
function startLogin(profile: string): Promise<InBrowser> {
  return startInBrowser("login", "--issuer", originOf(place.settings, "server"), "--profile", profile);
}

interface InBrowser {
  readonly address: string;
  readonly ended: Promise<Ended>;
}

/** Types a command that goes on in a browser, with `--no-browser`, and reads the address it prints. */
async function startInBrowser(...args: readonly string[]): Promise<InBrowser> {
  const { child, ended } = runScript(terminal(), authzCommand, ...args, "--no-browser");
  let written = "";
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      written += String(chunk);
      const found = /^http\S+$/m.exec(written.slice(0, written.lastIndexOf("\n") + 1));
      if (found !== null) resolve(found[0]);
    });
    void ended.then(({ stderr }) => reject(new Error(`No address was printed.\n${stderr}`)));
  });
  return { address, ended };
}
