import { launchBrowser } from "authz-tools/browser";
import { expect, test } from "vitest";
import { startOauthServer } from "../../support/oauth-server.js";

test("the account page says since when in the time zone of the browser", async () => {
  const [system, browser] = await Promise.all([startOauthServer(), launchBrowser()]);
  try {
    const context = await browser.newContext({ locale: "en-US", timezoneId: "Asia/Kathmandu" });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(`${system.issuer}/sign-in`);
    await page.getByText(/^Ada/).click();
    const time = page.locator("time").last();
    await time.waitFor();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const style = { dateStyle: "medium", timeStyle: "short", timeZone: "Asia/Kathmandu" } as const;
    expect(await time.innerText()).toBe(new Intl.DateTimeFormat("en-GB", style).format(at));
    expect(await time.getAttribute("title")).toMatch(/ UTC$/);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
    await system.close();
  }
});
