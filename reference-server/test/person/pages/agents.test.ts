import { randomUUID } from "node:crypto";
import { fileText, agentHosts, installGuideFor, remoteServer, setUpAll } from "@authz/agent-tools/hosts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentsScope } from "../../../src/store/system-scopes.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: string;
beforeAll(async () => {
  system = await startOauthServer();
  const rule = { id: randomUUID(), email: "ada@acme.example", scope: agentsScope };
  await system.server.context.store.assignments.insertMissing(rule, new Date());
  const browser = createBrowser();
  await signIn(browser, `${system.issuer}/sign-in`, "ada");
  page = (await browser.open(`${system.issuer}/`)).html;
});
afterAll(() => system.close());

/** As it stands in a page. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

describe("the employee's page", () => {
  test("has the exact lines of every host for this server, and a button that copies them", () => {
    for (const { host, setup } of setUpAll(remoteServer(system.issuer))) {
      expect(page).toContain(`<label for="agent-${host.key}">${host.name}</label>`);
      const shown = [setup.command, setup.file && fileText(setup.file).trimEnd(), setup.form?.address]
        .filter((text) => text !== undefined)
        .map(escaped);
      for (const text of shown) expect(page).toContain(`<code>${text}`);
      for (const text of shown) expect(page).toContain(`data-copy="${text}`);
      expect(page).toContain(setup.link === undefined ? "" : `href="${escaped(setup.link)}"`);
    }
  });

  test("offers one choice of hosts, of which one is made", () => {
    const choices = [...page.matchAll(/<input type="radio" name="agent-host"[^>]*>/g)].map(([tag]) => tag);
    expect(choices.length).toBe(agentHosts.length);
    expect(choices.filter((tag) => tag.includes("checked")).length).toBe(1);
    expect(page).toContain('role="radiogroup" aria-labelledby="agent-hosts"');
  });

  test("gives the sentence that makes an agent set itself up", () => {
    expect(page).toContain(`Read ${system.issuer}/install.md and follow it.`);
  });

  test("describes each button by words that are there, and hides it until a script runs", () => {
    const buttons = [...page.matchAll(/<button type="button"[^>]*data-copy[^>]*>/g)].map(([tag]) => tag);
    expect(buttons.length).toBeGreaterThan(agentHosts.length);
    for (const tag of buttons) {
      expect(tag).toContain(" hidden");
      const [, about] = /aria-describedby="([^"]+)"/.exec(tag) ?? [];
      expect(page).toContain(`id="${about ?? "nothing"}"`);
    }
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("a person who cannot connect an agent", () => {
  test("reads which permission is missing, and whom to ask, instead of the lines", async () => {
    const browser = createBrowser();
    await signIn(browser, `${system.issuer}/sign-in`, "bruno");
    const { html } = await browser.open(`${system.issuer}/`);
    expect(html).toContain(
      "You cannot connect an agent yet: the permission <code>authz:agents</code> is missing.",
    );
    expect(html).not.toContain("claude mcp add");
  });

  test("finds neither lines nor a guide while the address for agents is switched off", async () => {
    await system.database.query("UPDATE resources SET enabled = false WHERE key = 'agents'");
    try {
      const browser = createBrowser();
      await signIn(browser, `${system.issuer}/sign-in`, "ada");
      expect((await browser.open(`${system.issuer}/`)).html).not.toContain("Connect your agent");
      expect((await fetch(`${system.issuer}/install.md`)).status).toBe(404);
    } finally {
      await system.database.query("UPDATE resources SET enabled = true WHERE key = 'agents'");
    }
  });
});

describe("/install.md", () => {
  test("is public Markdown, with this address and the name of the installation", async () => {
    const answer = await fetch(`${system.issuer}/install.md`);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "text/markdown; charset=utf-8",
      "public, max-age=300",
    ]);
    expect(answer.headers.get("set-cookie")).toBeNull();
    const { installationName } = await system.server.context.store.settings.get();
    expect(await answer.text()).toBe(installGuideFor({ issuer: system.issuer, installationName }));
  });
});
