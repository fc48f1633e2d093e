import { originOf, type ServiceKey, serviceKeys, type Settings } from "../development/settings.js";
import { serviceTitles } from "../development/programs.js";
import type { AuthzCommand } from "./authz-command.js";
import { Browser } from "../scriptless/browser.js";
import { probeService } from "./probe-service.js";
import type { Narrator } from "./narrators.js";
import type { DemoResult, ServiceResult } from "./result.js";
import { signIn } from "./sign-in.js";
import { visitAgents } from "./visit-agents.js";
import { visitMcpServer } from "./visit-mcp-server.js";
import { visitThirdParty } from "./visit-third-party.js";
import { createClient, fileStore } from "@authz/client";

/** Plays an employee, Ada, and her agent, and reports what really came back over the wire. */
export async function playStory(
  settings: Settings,
  authz: AuthzCommand,
  narrator: Narrator,
): Promise<DemoResult> {
  const browser = new Browser();
  narrator.chapter("Ada signs in, once");
  const subject = await logIn(settings, { authz, browser, narrator });

  narrator.chapter("Her agent looks up what there is");
  narrator.line("$ authz skills");
  const skills = readSkillIds(await authz.run(["skills"]));
  for (const id of skills) {
    narrator.line(`  ${id}`);
  }

  const services: Partial<Record<ServiceKey, ServiceResult>> = {};
  for (const key of serviceKeys) {
    narrator.chapter(`${serviceTitles[key]}, ${originOf(settings, key)}/api/contracts`);
    services[key] = await probeService(settings, authz, key);
    narrator.service(services[key]);
  }

  narrator.chapter(`Ada's own account at a third party, ${originOf(settings, "notes")}`);
  await visitThirdParty(settings, { authz, browser, narrator });

  narrator.chapter(`An agent host that knows nothing but ${originOf(settings, "mcp")}/mcp`);
  const mcpAddress = `${originOf(settings, "mcp")}/mcp`;
  const mcp = {
    ...(await visitMcpServer(settings, narrator)),
    may_write: await mayWrite(settings, authz, mcpAddress),
  };

  narrator.chapter(`One address for every agent, ${originOf(settings, "server")}/mcp`);
  const agents = {
    ...(await visitAgents(settings, narrator)),
    may_write: await mayWrite(settings, authz, `${originOf(settings, "express")}/api/contracts`),
  };

  narrator.chapter("Ada signs out");
  await authz.run(["logout"]);
  narrator.line("$ authz logout");
  return { subject, skills, services: services as Record<ServiceKey, ServiceResult>, mcp, agents };
}

async function logIn(
  settings: Settings,
  {
    authz,
    browser,
    narrator,
  }: { readonly authz: AuthzCommand; readonly browser: Browser; readonly narrator: Narrator },
): Promise<string> {
  const issuer = originOf(settings, "server");
  narrator.line(`$ authz login --issuer ${issuer} --no-browser`);
  const browserFailed = new AbortController();
  let visit: Promise<readonly string[]> | undefined;
  const login = authz.run(["login", "--issuer", issuer, "--no-browser"], {
    signal: browserFailed.signal,
    onLine(line) {
      const address = line.trim();
      if (visit === undefined && address.startsWith(`${issuer}/`) && URL.canParse(address)) {
        visit = signIn(browser, new URL(address), { person: "ada" });
        visit.catch(() => browserFailed.abort());
      }
    },
  });
  try {
    const subject = readSubject(await login);
    for (const title of (await visit) ?? []) {
      narrator.line(`  page: ${title}`);
    }
    narrator.line(`  signed in as ${subject}`);
    return subject;
  } catch (error) {
    // What went wrong in the browser says more than that the command was ended because of it.
    await visit;
    throw error;
  }
}

function readSubject(document: unknown): string {
  if (typeof document === "object" && document !== null && "subject" in document) {
    return String(document.subject);
  }
  throw new Error("authz login --json printed no subject.");
}

function readSkillIds(document: unknown): string[] {
  if (typeof document !== "object" || document === null || !("items" in document)) {
    throw new Error("authz skills --json printed no items.");
  }
  const items: unknown = document.items;
  return Array.isArray(items) ? items.map((item: { id: string }) => item.id) : [];
}

/** Whether the server says that Ada may create contracts at an address. It does not, until she gets the permission. */
async function mayWrite(settings: Settings, authz: AuthzCommand, url: string): Promise<boolean> {
  const client = createClient({ issuer: originOf(settings, "server"), store: fileStore(authz.sessionFile) });
  const { key } = await client.resourceFor(url);
  const { allowed } = await client.explain({ resource: key, scopes: ["contracts:write"] });
  return allowed;
}
