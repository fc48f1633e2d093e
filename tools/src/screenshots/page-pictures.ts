import type { Page } from "playwright-core";
import { connectAgent } from "../agent-host/agent.js";
import { startAgentHost } from "../agent-host/host.js";
import type { AuthzCommand } from "../demo/authz-command.js";
import { originOf, type Settings } from "../development/settings.js";
import type { Camera } from "./camera.js";
import { beginConnection, beginLogin, refused, work } from "./traffic.js";

/** Bruno signs in to the console. Gives his window. */
export async function signInBruno(camera: Camera, settings: Settings): Promise<Page> {
  const page = await camera.open();
  await page.goto(`${originOf(settings, "server")}/admin/`);
  await page.getByText("Bruno Keller").click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/** Ada allows her computer, her agent works, and she looks at her own page. */
export async function followAda(camera: Camera, settings: Settings, authz: AuthzCommand): Promise<Page> {
  const page = await camera.open();
  const login = await beginLogin(settings, authz);
  await page.goto(login.address);
  await page.getByText("Ada Lovelace").click();
  await page.getByRole("button", { name: "Allow" }).waitFor();
  await camera.takeWhole(page, "consent", ["light", "dark", "narrow"]);
  await page.getByRole("button", { name: "Allow" }).click();
  await login.ended;
  await work(settings, authz);
  await letHostIn(camera, page, settings);
  await connectNotes(settings, { page, authz, account: "ada@home.example", profile: "default" });
  await page.goto(originOf(settings, "server"));
  await page.getByRole("heading", { level: 1 }).waitFor();
  await camera.takeWhole(page, "account", ["light", "dark", "narrow"]);
  return page;
}

/** Ada adds the MCP server to an agent host, and reads what she allows. */
async function letHostIn(camera: Camera, page: Page, settings: Settings): Promise<void> {
  const host = await startAgentHost({
    name: "Agent Studio",
    async open(address) {
      await page.goto(address.href);
      await page.getByRole("button", { name: "Allow" }).waitFor();
      await camera.takeWhole(page, "consent-app", ["light", "dark", "narrow"]);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("Close this page.").waitFor();
    },
  });
  try {
    const agent = await connectAgent(host, new URL("/mcp", originOf(settings, "mcp")));
    await agent.call("list_contracts");
    await agent.close();
  } finally {
    await host.close();
  }
}

/** Bruno has a command line of his own, and an account at Notes. */
export async function connectBruno(
  settings: Settings,
  { page, authz }: { readonly page: Page; readonly authz: AuthzCommand },
): Promise<void> {
  const login = await beginLogin(settings, authz, ["--no-browser", "--profile", "bruno"]);
  await page.goto(login.address);
  await page.getByRole("button", { name: "Allow" }).click();
  await login.ended;
  await connectNotes(settings, { page, authz, account: "bruno@home.example", profile: "bruno" });
}

/** Connects an account at Notes in this window, whose person is signed in with the profile, and reads the notes. */
async function connectNotes(
  settings: Settings,
  {
    page,
    authz,
    account,
    profile,
  }: {
    readonly page: Page;
    readonly authz: AuthzCommand;
    readonly account: string;
    readonly profile: string;
  },
): Promise<void> {
  const named = ["--profile", profile];
  const connection = await beginConnection(settings, authz, named);
  await page.goto(connection.address);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(account).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await connection.ended;
  await authz.run(["request", "--connection", "notes", `${originOf(settings, "notes")}/api/notes`, ...named]);
}

/** Ada connects a second device with a code. */
export async function connectDevice(
  camera: Camera,
  settings: Settings,
  { page, authz }: { readonly page: Page; readonly authz: AuthzCommand },
): Promise<void> {
  const login = await beginLogin(settings, authz, ["--device", "--profile", "second"]);
  await page.goto(login.address);
  await page.getByRole("button", { name: "Continue" }).waitFor();
  await camera.takeWhole(page, "device");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await login.ended;
}

/** Clara may not use the command line, and reads so. */
export async function refuseClara(camera: Camera, settings: Settings, authz: AuthzCommand): Promise<void> {
  const page = await camera.open();
  const login = await beginLogin(settings, authz, ["--no-browser", "--profile", "clara"]);
  const ended = refused(login.ended);
  await page.goto(login.address);
  await page.getByText("Clara Nowak").click();
  const back = page.getByRole("link", { name: /^Back to / });
  await back.waitFor();
  await page.getByRole("textbox").fill("I am to check the contracts of the sales team.");
  await camera.takeWhole(page, "refused", ["light", "dark", "narrow"]);
  await page.getByRole("button", { name: "Ask" }).click();
  await back.click();
  await ended;
  await page.goto(originOf(settings, "server"));
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.context().close();
}

/** With two providers, people choose. */
export async function takeSignIn(camera: Camera, settings: Settings): Promise<void> {
  const page = await camera.open();
  await page.goto(`${originOf(settings, "server")}/admin/`);
  await page.getByText("Partners").waitFor();
  await camera.takeWhole(page, "sign-in", ["light", "dark", "narrow"]);
  await page.context().close();
}
