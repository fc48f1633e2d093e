import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../src/browser/find-chromium.js";
import { launchBrowser } from "../../src/browser/launch-browser.js";
import { originOf } from "../../src/development/settings.js";
import { type Ended, findPlace, type Place, runScript, type Script } from "../development/whole-system.js";

const SLOW = 180_000;

describe("authz login in a real browser", () => {
  let place: Place;
  let system: Script;
  let browser: Browser;

  beforeAll(async () => {
    place = await findPlace();
    system = runScript(place, "node", "tools/start.mjs");
    // The browser from npm, because it is on every machine.
    browser = await launchBrowser(await findChromium([]));
    await system.untilPrinted("Ctrl-C stops");
  }, SLOW);

  afterAll(async () => {
    await browser.close();
    system.child.kill("SIGINT");
    await system.ended;
    place.remove();
  }, SLOW);

  test(
    "signs in whoever allows it, on the device that the page names",
    async () => {
      const complaints: string[] = [];
      const { address, ended } = await startLogin(place, "allowed");
      const page = await openPage(browser, complaints);
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
    },
    SLOW,
  );

  test(
    "tells the command when the person denies",
    async () => {
      const { address, ended } = await startLogin(place, "denied");
      const page = await openPage(browser, []);
      await page.goto(address);
      await page.getByText("Ada Lovelace").click();
      await page.getByRole("button", { name: "Deny" }).click();
      const { code, stderr } = await ended;
      expect(code).toBe(4);
      expect(stderr).not.toContain("Signed in");
      await page.context().close();
    },
    SLOW,
  );
});

/** A page of somebody who was never here; what the browser complains about, such as a violated policy, is kept. */
async function openPage(browser: Browser, complaints: string[]): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return page;
}

/** Types `authz login --no-browser` and reads the address it prints. */
async function startLogin(
  place: Place,
  profile: string,
): Promise<{ readonly address: string; readonly ended: Promise<Ended> }> {
  const issuer = originOf(place.settings, "server");
  const { child, ended } = runScript(
    place,
    "node_modules/.bin/authz",
    "login",
    "--no-browser",
    "--issuer",
    issuer,
    "--profile",
    profile,
  );
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
