import type { Page } from "playwright-core";
import { connectAgent } from "../agent-host/agent.js";
import { startAgentHost } from "../agent-host/host.js";
import type { AuthzCommand } from "../demo/authz-command.js";
import type { DevelopmentSecrets } from "../development/secrets.js";
import { originOf, type Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";
import type { Camera } from "./camera.js";

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
  const login = await beginLogin(settings, authz, "--no-browser");
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
  const login = await beginLogin(settings, authz, "--no-browser", "--profile", "bruno");
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
  const connect = ["connections", "connect", "notes", "--no-browser", ...named];
  const connection = await beginInBrowser(settings, authz, connect);
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
  const login = await beginLogin(settings, authz, "--device", "--profile", "second");
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
  const login = await beginLogin(settings, authz, "--no-browser", "--profile", "clara");
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

/** Sets up a new server as far as the sign-in test that passes. */
export async function takeSetUp(
  camera: Camera,
  { settings, secrets }: { readonly settings: Settings; readonly secrets: DevelopmentSecrets },
): Promise<void> {
  const page = await camera.open();
  await page.goto(`${originOf(settings, "server")}/setup`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await camera.takeWhole(page, "set-up-token");
  await page.keyboard.type(secrets.setupToken);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Where do people sign in?" }).waitFor();
  await camera.takeWhole(page, "set-up-provider");
  await page.getByRole("link", { name: "Another OpenID provider" }).click();
  await fillDetails(page, { settings, secrets });
  await camera.takeWhole(page, "set-up-details");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Test sign-in" }).click();
  await page.getByText("Bruno Keller").click();
  await page.getByText("You signed in as bruno@acme.example").waitFor();
  await camera.takeWhole(page, "set-up-test-failed");
  await page.getByRole("button", { name: "Test again" }).click();
  await page.getByText("Ada Lovelace").click();
  await page.getByText("The test passed").waitFor();
  await camera.takeWhole(page, "set-up-test", ["light", "dark", "narrow"]);
  await page.context().close();
}

/** The form of a provider. */
async function fillDetails(
  page: Page,
  { settings, secrets }: { readonly settings: Settings; readonly secrets: DevelopmentSecrets },
): Promise<void> {
  const fields = {
    "Your email address": "ada@acme.example",
    "Name of this installation": "Acme",
    "Name of the provider": "Acme accounts",
    Issuer: originOf(settings, "idp"),
    "Client ID": "authz",
    "Client secret": secrets.idpClientSecret,
  };
  for (const [label, text] of Object.entries(fields)) {
    await page.getByLabel(label).fill(text);
  }
}

function beginLogin(
  settings: Settings,
  authz: AuthzCommand,
  ...options: readonly string[]
): Promise<Pending> {
  return beginInBrowser(settings, authz, ["login", "--issuer", originOf(settings, "server"), ...options]);
}

/** A command that waits until a person has allowed or denied something in a browser. */
interface Pending {
  readonly address: string;
  readonly ended: Promise<unknown>;
}

/** Starts a command and waits for the address that it prints; with `--device` that is the page with the code filled in. */
async function beginInBrowser(
  settings: Settings,
  authz: AuthzCommand,
  args: readonly string[],
): Promise<Pending> {
  const issuer = originOf(settings, "server");
  const wanted = args.includes("--device") ? /^http\S+\?user_code=\S+$/ : /^http\S+$/;
  let ended: Promise<unknown> = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    ended = authz.run(args, {
      onLine(line) {
        const found = line.split(/\s+/).find((word) => word.startsWith(`${issuer}/`) && wanted.test(word));
        if (found !== undefined) resolve(found);
      },
    });
    ended.catch(reject);
  });
  return { address, ended };
}

/** Ada's agent works: reads skills, calls every service, and is refused what she may not do. */
async function work(settings: Settings, authz: AuthzCommand): Promise<void> {
  const contracts = (["express", "koa", "fastify"] as const).map(
    (key) => `${originOf(settings, key)}/api/contracts`,
  );
  await authz.run(["skills"]);
  await authz.run(["skills", "show", "contracts-express.list-contracts"]);
  for (const url of contracts) await authz.run(["request", "--scope", "contracts:read", url]);
  const [url = ""] = contracts;
  const change = ["-X", "POST", "-d", '{"customer":"Acme"}'];
  await refused(authz.run(["request", "--scope", "contracts:write", ...change, url]));
}

async function refused(attempt: Promise<unknown>): Promise<void> {
  const outcome = await attempt.then(
    () => "allowed",
    (error: unknown) => error,
  );
  if (!(outcome instanceof ReadableError)) throw new Error("Something was not refused.", { cause: outcome });
}
