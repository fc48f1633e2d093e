import { randomUUID } from "node:crypto";
import { skillDigest } from "@authz/skills";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "../../support/browser.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let ada: Browser;
beforeAll(async () => {
  system = await startOauthServer();
  const { store } = system.server.context;
  const at = new Date();
  await store.resources.save({ ...system.resource, skillDiscovery: true }, at);
  const skill = { visibility: "DEFAULT", tags: [] } as const;
  const items = [
    {
      ...skill,
      id: "list-contracts",
      title: "List <contracts>",
      requiredScopes: ["contracts:read"],
      content:
        "# Go\n\n<script>alert(1)</script>\n\n[more](https://docs.acme.example) ![x](https://evil.example/p.png)",
    },
    {
      ...skill,
      id: "write-contract",
      title: "Write a contract",
      requiredScopes: ["contracts:write"],
      content: "Go.",
      files: [{ path: "references/errors.md", size: 4, digest: skillDigest("text") }],
    },
    {
      ...skill,
      visibility: "HIDDEN_IF_UNALLOWED" as const,
      id: "secret",
      title: "Hidden",
      requiredScopes: ["contracts:write"],
      content: "Hidden.",
    },
  ];
  const due = { dueBefore: at, leaseUntil: at, limit: 10 };
  await store.skillCatalogs.takeDue(due);
  await store.skillCatalogs.saveSuccess({
    resourceId: system.resource.id,
    items,
    files: new Map([[skillDigest("text"), Buffer.from("text")]]),
    at,
    refreshAt: new Date(at.getTime() + 3_600_000),
  });
  ada = createBrowser();
  await signIn(ada, `${system.issuer}/sign-in`, "ada");
});
afterAll(() => system.close());

const open = (path: string, browser = ada, language = "en") =>
  browser.open(`${system.issuer}${path}`, { headers: { "accept-language": language } });

describe("the employee's page", () => {
  test("shows permissions by service, with description and key", async () => {
    const { html } = await open("/");
    expect(html).toMatch(
      /<h3>At Acme itself<\/h3>[\s\S]*Use the command line<\/span><code>authz:login<\/code>/,
    );
    expect(html).toMatch(/<h3>Contracts<\/h3>[\s\S]*<code>contracts:read<\/code>/);
    expect(html).not.toContain("<code>invoices:read</code>");
    expect(html).not.toContain('href="/admin"');
  });

  test("lists visible skills, and the permissions that they lack", async () => {
    const { html } = await open("/");
    expect(html).toContain('<a href="/skills/contracts.list-contracts">List &#60;contracts&#62;</a>');
    expect(html).toMatch(/Write a contract<\/a><span class="muted">you lack <code>contracts:write<\/code>/);
    expect(html).not.toContain("Hidden");
  });

  test("says how to install the client, with this address", async () => {
    expect((await open("/")).html).toContain(
      `npm install --global @authz/cli\nauthz login --issuer ${system.issuer}`,
    );
  });

  test("names no administrator if all of them are so by a group", async () => {
    const clara = createBrowser();
    await signIn(clara, `${system.issuer}/sign-in`, "clara");
    const { html } = await open("/", clara);
    expect(html).toContain("Permissions come from groups here");
    expect(html).not.toMatch(/mailto:|authz login/);
  });

  test("leads administrators to the console", async () => {
    const { store } = system.server.context;
    const assignment = { id: randomUUID(), email: "fred@acme.example", scope: "authz:administer" };
    await store.assignments.insertMissing(assignment, new Date());
    const fred = createBrowser();
    await signIn(fred, `${system.issuer}/sign-in`, "fred");
    expect((await open("/", fred)).html).toContain('href="/admin"');
  });

  test("tells a person without permissions whom to ask", async () => {
    const clara = createBrowser();
    await signIn(clara, `${system.issuer}/sign-in`, "clara");
    const { html } = await open("/", clara);
    expect(html).toContain("An administrator gives permissions");
    expect(html).toMatch(/cannot sign in with the command line or an app yet: .*<code>authz:login<\/code>/);
    expect(html).toContain('<a href="mailto:fred@acme.example">');
    expect(html).not.toContain("authz login");
  });

  test("says since when with a moment that a browser can put into its own time zone", async () => {
    const { html, headers } = await open("/");
    expect(html).toMatch(
      /since <time datetime="\d{4}-\d\d-\d\dT[\d:.]+Z">\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/,
    );
    expect(html).toContain('<script src="/assets/times.js" defer></script>');
    expect(headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(html).not.toMatch(/<script(?! src=")/);
  });

  test("speaks German to browsers that do", async () => {
    const { html } = await open("/", ada, "de-DE,de;q=0.9,en;q=0.8");
    expect(html).toContain('<html lang="de">');
    for (const words of ["Was Sie dürfen", "Ihre Skills", "Die Kommandozeile verwenden", "seit "]) {
      expect(html).toContain(words);
    }
  });

  test("is where /account leads", async () => {
    expect((await open("/account")).url.pathname).toBe("/");
  });
});

describe("the page of a skill", () => {
  test("shows the instructions, inertly", async () => {
    const { html, headers } = await open("/skills/contracts.list-contracts");
    expect(html).toContain("<h2>Go</h2>");
    expect(html).toContain('<a href="https://docs.acme.example" rel="noopener noreferrer nofollow">more</a>');
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toMatch(/<script|<img(?! class="mark)/);
    expect(headers.get("content-security-policy")).not.toContain("script-src");
  });

  test("names the files that belong to it", async () => {
    const { html } = await open("/skills/contracts.write-contract");
    expect(html).toContain('<code>references/errors.md</code> <span class="muted">4 bytes</span>');
    expect((await open("/skills/contracts.list-contracts")).html).not.toContain("<h2>Files</h2>");
  });

  test("says what is lacking", async () => {
    expect((await open("/skills/contracts.write-contract")).html).toContain("You cannot use this skill yet");
  });

  test.each(["contracts.secret", "contracts.nothing", "nothing.list", "..%2f", "x"])(
    "%s is not there, and looks like any that is not",
    async (id) => {
      const page = await open(`/skills/${id}`);
      expect(page.status).toBe(404);
      expect(page.html).toContain("There is no such skill");
    },
  );

  test("comes after the sign-in", async () => {
    const browser = createBrowser();
    const page = await signIn(browser, `${system.issuer}/skills/contracts.list-contracts`, "ada");
    expect(page.url.pathname).toBe("/skills/contracts.list-contracts");
    expect(page.html).toContain("List &#60;contracts&#62;");
  });
});

test("an address that is none has a page with the installation's name", async () => {
  const page = await open("/nowhere");
  expect(page.status).toBe(404);
  expect(page.html).toContain("<title>There is no page here · Acme</title>");
});
