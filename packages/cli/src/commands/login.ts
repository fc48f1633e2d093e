import { AuthzClientError, parseIssuer } from "@authz/client";
import { Option } from "commander";
import { exitCodes } from "../exit-code.js";
import { CliError } from "../messages/cli-error.js";
import { exampleIssuer, loadConfig, type StoreKind, saveConfig } from "../profile/config.js";
import { clientFor, type OpenProfile, openProfile, signedInClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";
import { chooseStore, requireWritable, warnAboutFile } from "./login/choose-store.js";
import { chooseLoginMethod, type LoginMethodOptions } from "./login/login-method.js";
import { signIn } from "./login/sign-in.js";

/** `authz login` */
export function addLogin({ add, action }: CommandTree): void {
  add("login", "Sign in with a browser, here or on another device.", [
    "authz login --issuer https://authz.example.com",
    "authz login --device                 shows a code to type on another device",
    "authz login --no-browser             prints the address instead of opening it",
    "AUTHZ_TOKEN_STORE=file authz login   without a keyring: a file",
  ])
    .option("--issuer <url>", "address of the authorization server; needed once")
    .addOption(
      new Option("--device", "sign in on another device; automatic over SSH and without a display").conflicts(
        "browser",
      ),
    )
    .option("--browser", "open the browser even over SSH or without a display")
    .option("--no-browser", "print the address and wait until it is opened on this computer")
    .action(action(login));
}

/** Options of `authz login`. */
export interface LoginCommandOptions extends LoginMethodOptions {
  issuer?: string;
}

/** Signs in and remembers where the session is kept. */
async function login(context: CommandContext, options: LoginCommandOptions): Promise<number> {
  const { runtime, output } = context;
  const opened = await openProfile(runtime, context.profile);
  const issuer = chooseIssuer(context, opened, options);
  await refuseOtherIssuer(context, opened, issuer);
  const store = await chooseStore(context, opened);
  await requireWritable(opened);
  const client = clientFor(runtime, opened, { issuer, store });
  if (store === "file" && opened.profile?.store !== "file") warnAboutFile(context, opened);

  const session = await signIn(context, client, await chooseLoginMethod(client, options, runtime));
  await forgetOtherStore(context, opened, store);
  await remember(opened, { issuer: client.issuer, store });

  const { subject, email, name, deviceCode } = session;
  if (output.json) {
    output.data({ subject, email, name, issuer: client.issuer, deviceCode, profile: opened.name, store });
  } else {
    output.note(
      `Signed in as ${output.bold(name ?? email ?? subject)}${email === undefined ? "" : ` <${email}>`}.`,
    );
    output.note(output.quiet(`Next: ${context.offer({ do: "list_skills" })}`));
  }
  return exitCodes.ok;
}

function chooseIssuer(
  { runtime }: CommandContext,
  opened: OpenProfile,
  options: LoginCommandOptions,
): string {
  const fromEnvironment = runtime.env.AUTHZ_ISSUER;
  const issuer =
    options.issuer ?? (fromEnvironment === "" ? undefined : fromEnvironment) ?? opened.profile?.issuer;
  if (issuer !== undefined) return parseIssuer(issuer);
  throw new CliError("issuer_missing", {
    what: "Say where to sign in.",
    why: "No authorization server is known yet.",
    hint: "Give its address once",
    next: { do: "run", words: ["login", "--issuer", exampleIssuer] },
    exitCode: exitCodes.usage,
  });
}

/** One profile, one authorization server: a session is not overwritten by signing in elsewhere. */
async function refuseOtherIssuer(
  context: CommandContext,
  opened: OpenProfile,
  issuer: string,
): Promise<void> {
  const current = signedInClient(context.runtime, opened);
  if (current === undefined || current.issuer === issuer) return;
  const session = await current.session().catch((error: unknown) => {
    if (error instanceof AuthzClientError) return undefined;
    throw error;
  });
  if (session === undefined) return;
  throw new CliError("other_issuer", {
    what: `You are signed in at ${current.issuer}.`,
    why: `The profile "${opened.name}" holds one session at a time.`,
    hint: "Sign out first, or use a second profile",
    next: { do: "run", words: ["login", "--profile", "other", "--issuer", issuer] },
    exitCode: exitCodes.usage,
  });
}

/** A session must not stay behind in the store that is no longer used. */
async function forgetOtherStore(
  context: CommandContext,
  opened: OpenProfile,
  store: StoreKind,
): Promise<void> {
  const { profile } = opened;
  if (profile?.store === undefined || profile.store === store) return;
  const before = clientFor(context.runtime, opened, { issuer: profile.issuer, store: profile.store });
  await before.logout().catch(() => undefined);
}

async function remember(opened: OpenProfile, profile: { issuer: string; store: StoreKind }): Promise<void> {
  const config = await loadConfig(opened.paths.config);
  await saveConfig(opened.paths.config, {
    ...config,
    profiles: { ...config.profiles, [opened.name]: profile },
  });
}
