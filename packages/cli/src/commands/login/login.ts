import { AuthzClientError, parseIssuer } from "@authz/client";
import { CliError } from "../../messages/cli-error.js";
import { EXAMPLE_ISSUER, loadConfig, type StoreKind, saveConfig } from "../../config/config.js";
import { EXIT } from "../../exit-code.js";
import { clientFor, type OpenProfile, openProfile, signedInClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";
import { chooseStore, warnAboutFile } from "./choose-store.js";
import { chooseWay, type WayOptions } from "./choose-way.js";
import { signIn } from "./sign-in.js";

/** Options of `authz login`. */
export interface LoginCommandOptions extends WayOptions {
  issuer?: string;
}

/** Signs in and remembers where the session is kept. */
export async function login(context: CommandContext, options: LoginCommandOptions): Promise<number> {
  const { surroundings, output } = context;
  const opened = await openProfile(surroundings, context.profile);
  const issuer = chooseIssuer(context, opened, options);
  await refuseOtherIssuer(context, opened, issuer);
  const store = await chooseStore(context, opened);
  const client = clientFor(surroundings, opened, { issuer, store });
  if (store === "file" && opened.profile?.store !== "file") warnAboutFile(context, opened);

  const session = await signIn(context, client, await chooseWay(client, options, surroundings));
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
  return EXIT.ok;
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
    hint: "Give its address once",
    next: { do: "run", words: ["login", "--issuer", EXAMPLE_ISSUER] },
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
    hint: "Sign out first, or use a second profile",
    next: { do: "run", words: ["login", "--profile", "other", "--issuer", issuer] },
    exitCode: EXIT.usage,
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
