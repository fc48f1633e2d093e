import type { Page } from "authz-tools/browser";
import { beforeAll, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";

let page: Page;
const screen = createConsoleWindow();

beforeAll(async () => {
  await screen.start();
  page = await screen.open("/admin");
});

test.each([
  { path: "/", api: "/overview" },
  { path: "/users", api: "/users" },
  { path: "/users?enabled=true&q=ada&sort=-lastSignedInAt", api: "/users" },
  { path: "/assignments?scope=authz%3Aadminister", api: "/assignments" },
  { path: "/audit?outcome=denied&type=consent.given&type=token.issued", api: "/audit-events" },
  { path: "/resources", api: "/resources" },
  { path: "/scopes", api: "/scopes" },
  { path: "/skills", api: "/skills" },
  { path: "/catalogs?state=failed", api: "/catalogs" },
  { path: "/sessions", api: "/sessions" },
  { path: "/sessions/devices?state=live", api: "/grants" },
  { path: "/clients?type=machine", api: "/clients" },
  { path: "/connectors", api: "/connectors" },
  { path: "/connections?state=connected", api: "/connections" },
  { path: "/identity-providers", api: "/identity-providers" },
  { path: "/app-hosts?allowed=true", api: "/app-hosts" },
])("what $path shows is asked for ahead of its code, and once", async ({ path, api }) => {
  const asked: string[] = [];
  const note = (request: { url: () => string }) => {
    const { pathname, searchParams } = new URL(request.url());
    // All hosts are requested a second time, for the suggestions beside the list.
    const isOther = searchParams.get("limit") === "200";
    if (pathname === `/api/admin/v1${api}` && !isOther) asked.push(request.url());
  };
  page.on("request", note);
  await screen.show(path);
  await page.locator("[aria-busy=true], .table-placeholder").first().waitFor({ state: "detached" });
  page.off("request", note);
  expect(asked).toEqual([asked[0]]);
});
