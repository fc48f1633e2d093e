import { type AuthzClient, AuthzClientError, parseIssuer } from "@authz/client";
import { CliError } from "../cli-error.js";
import { loadConfig, type StoreKind, saveConfig } from "../config/config.js";
import { EXIT } from "../exit-code.js";
import {
  clientFor,
  type OpenProfile,
  openProfile,
  sessionPath,
  signedInClient,
} from "../session/open-client.js";
import { probeKeyring, systemKeyring } from "../session/system-keyring.js";
import type { CommandContext } from "./command.js";

/** Options of `authz login`. */
export interface LoginCommandOptions {
  issuer?: string;
  browser: boolean;
}

/** Signs in through the browser and remembers where the session is kept. */
export async function login(context: CommandContext, options: LoginCommandOptions): Promise<number> {
  const { surroundings, output } = context;
  const opened = await openProfile(surroundings, context.profile);
  const issuer = chooseIssuer(context, opened, options);
  await refuseOtherIssuer(context, opened, issuer);
  const store = await chooseStore(context, opened);
  const client = clientFor(surroundings, opened, { issuer, store });
  if (store === "file" && opened.profile?.store !== "file") warnAboutFile(context, opened);

  const session = await waitInBrowser(context, client, options.browser);
  await forgetOtherStore(context, opened, store);
  await remember(opened, { issuer: client.issuer, store });

  const { subject, email, name, deviceCode } = session;
  if (output.json) {
    output.data({ subject, email, name, issuer: client.issuer, deviceCode, profile: opened.name, store });
  } else {
    output.note(
      `Signed in as ${output.bold(name ?? email ?? subject)}${email === undefined ? "" : ` <${email}>`}.`,
    );
    output.note(output.quiet("Next: authz skills"));
  }
  return EXIT.ok;
}

async function waitInBrowser(
  { output }: CommandContext,
  client: AuthzClient,
  browser: boolean,
): Promise<Awaited<ReturnType<AuthzClient["login"]>>> {
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await client.login({
      signal: stop.signal,
      onAddress: ({ url, deviceCode }) => {
        output.note(`Device code: ${output.bold(deviceCode)}  (the page in the browser shows the same one)`);
        output.note(
          browser
            ? "Your browser opens. If it does not, visit:"
            : "Open this address in a browser on this computer:",
        );
        output.note(url);
        output.progress("Waiting for the browser …  (Ctrl-C stops)");
      },
      ...(browser ? { openBrowser } : {}),
    });
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}

async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import("open");
  const child = await open(url);
  // A missing opener is no failure: the address is on the screen.
  child.on("error", () => undefined);
}

function chooseIssuer(
  { surroundings }: CommandContext,
  opened: OpenProfile,
  options: LoginCommandOptions,
): string {
  const fromEnvironment = surroundings.env.AUTHZ_ISSUER;
  const issuer =
    options.issuer ?? (fromEnvironment === "" ? undefined : fromEnvironment) ?? opened.profile?.issuer;
  if (issuer !== undefined) return parseIssuer(issuer);
  throw new CliError("issuer_missing", {
    what: "Say where to sign in.",
    why: "No authorization server is known yet.",
    hint: "Give its address once: authz login --issuer https://authz.example.com",
    exitCode: EXIT.usage,
  });
}

/** One profile, one authorization server: a session is not overwritten by signing in elsewhere. */
async function refuseOtherIssuer(
  context: CommandContext,
  opened: OpenProfile,
  issuer: string,
): Promise<void> {
  const current = signedInClient(context.surroundings, opened);
  if (current === undefined || current.issuer === issuer) return;
  const session = await current.session().catch((error: unknown) => {
    if (error instanceof AuthzClientError) return undefined;
    throw error;
  });
  if (session === undefined) return;
  throw new CliError("other_issuer", {
    what: `You are signed in at ${current.issuer}.`,
    why: `The profile "${opened.name}" holds one session at a time.`,
    hint: `Sign out first (authz logout), or use a second profile: authz login --profile other --issuer ${issuer}`,
    exitCode: EXIT.usage,
  });
}

/** Decides where the session goes before anybody signs in, so that no log-in is lost for want of a place. */
async function chooseStore({ surroundings }: CommandContext, opened: OpenProfile): Promise<StoreKind> {
  const asked = surroundings.env.AUTHZ_TOKEN_STORE ?? "";
  if (asked !== "" && asked !== "file" && asked !== "keyring") {
    throw new CliError("usage", {
      what: `AUTHZ_TOKEN_STORE is "${asked}".`,
      why: 'It can be "keyring" or "file".',
      hint: "Correct it, or unset it.",
      exitCode: EXIT.usage,
    });
  }
  if (asked === "file" || (asked === "" && opened.profile?.store === "file")) return "file";
  const problem = await keyringProblem();
  if (problem === undefined) return "keyring";
  throw new CliError("keyring_unavailable", {
    what: "This computer has no keyring that authz can use, so the session has no safe place yet.",
    why: `Nobody has signed in. The keyring says: ${problem}`,
    hint: `Unlock or install a keyring, or keep the session in a file that only you can read (${sessionPath(opened)}, mode 0600): AUTHZ_TOKEN_STORE=file authz login`,
    exitCode: EXIT.failure,
  });
}

async function keyringProblem(): Promise<string | undefined> {
  try {
    return await probeKeyring(await systemKeyring());
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function warnAboutFile({ output }: CommandContext, opened: OpenProfile): void {
  output.note(`${output.warning("The session is kept in a file, not in a keyring:")} ${sessionPath(opened)}`);
  output.note("Only you can read it (mode 0600). Any program that runs as you can use it.");
}

/** A session must not stay behind in the store that is no longer used. */
async function forgetOtherStore(
  context: CommandContext,
  opened: OpenProfile,
  store: StoreKind,
): Promise<void> {
  const { profile } = opened;
  if (profile?.store === undefined || profile.store === store) return;
  const before = clientFor(context.surroundings, opened, { issuer: profile.issuer, store: profile.store });
  await before.logout().catch(() => undefined);
}

async function remember(opened: OpenProfile, profile: { issuer: string; store: StoreKind }): Promise<void> {
  const config = await loadConfig(opened.paths.config);
  await saveConfig(opened.paths.config, {
    ...config,
    profiles: { ...config.profiles, [opened.name]: profile },
  });
}
