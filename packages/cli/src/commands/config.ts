import { parseIssuer } from "@authz/client";
import { exitCodes } from "../exit-code.js";
import { CliError, type CliErrorText } from "../messages/cli-error.js";
import {
  type Config,
  exampleIssuer,
  isProfileName,
  loadConfig,
  pathsFor,
  seeProfiles,
  saveConfig,
  unknownProfile,
} from "../profile/config.js";
import { openProfile, signedInClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";

/** `authz config` with `list`, `use`, `set-issuer` and `remove` */
export function addConfig({ add, addBelow, action }: CommandTree): void {
  const config = add("config", "Show and change profiles.", [
    "authz config",
    "authz config use work",
    "authz config set-issuer https://authz.example.com --profile work",
  ]);
  const show = action(showConfig);
  config.action(async () => await show());
  addBelow(config, "list", "Show the profiles.", ["authz config list"]).action(async () => await show());
  addBelow(config, "use <name>", "Use a profile from now on.", ["authz config use work"]).action(
    action(useProfile),
  );
  addBelow(config, "set-issuer <url>", "Set the server of a profile before signing in.", [
    "authz config set-issuer https://authz.example.com",
  ]).action(action(setIssuer));
  addBelow(config, "remove <name>", "Forget a profile that is signed out.", [
    "authz config remove work",
  ]).action(action(removeProfile));
}

/** Shows the profiles, and which one is used. */
async function showConfig({ runtime, output, offer }: CommandContext): Promise<number> {
  const paths = pathsFor(runtime);
  const config = await loadConfig(paths.config);
  const { profile, profiles } = config;
  if (output.json) {
    output.data({ profile, profiles, paths });
    return exitCodes.ok;
  }
  const names = Object.keys(profiles);
  if (names.length === 0) {
    output.note(
      `There is no profile yet. The first sign-in creates one: ${offer({ do: "run", words: ["login", "--issuer", exampleIssuer] })}`,
    );
    return exitCodes.ok;
  }
  output.table(
    ["", "PROFILE", "SERVER", "SESSION IN"],
    names.map((name) => [
      name === profile ? "*" : "",
      name,
      profiles[name]?.issuer ?? "",
      profiles[name]?.store ?? "",
    ]),
  );
  return exitCodes.ok;
}

/** What to do about a profile that is not there. */
function signingInMakes(name: string): Pick<CliErrorText, "hint" | "next"> {
  return {
    hint: "Create it by signing in",
    next: { do: "run", words: ["login", "--issuer", exampleIssuer, "--profile", name] },
  };
}

/** Chooses the profile that is used when none is named. */
async function useProfile(context: CommandContext, name: string): Promise<number> {
  return await change(
    context,
    (config) => {
      if (config.profiles[name] === undefined)
        throw unknownProfile(name, config, isProfileName(name) ? signingInMakes(name) : seeProfiles);
      return { ...config, profile: name };
    },
    `Now using the profile "${name}".`,
  );
}

/** Sets the server of a profile before the first sign-in with it. */
async function setIssuer(context: CommandContext, issuer: string): Promise<number> {
  const { runtime, profile: asked } = context;
  const opened = await openProfile(runtime, asked);
  await requireSignedOut(context, opened.name);
  return await change(
    context,
    (config) => ({
      ...config,
      profiles: {
        ...config.profiles,
        [opened.name]: { ...config.profiles[opened.name], issuer: parseIssuer(issuer) },
      },
    }),
    `The profile "${opened.name}" belongs to ${issuer}. Next: ${context.offer({ do: "run", words: ["login", "--profile", opened.name] })}`,
  );
}

/** Forgets a profile, and what an ended session has left behind. A living session is not ended here. */
async function removeProfile(context: CommandContext, name: string): Promise<number> {
  const { runtime } = context;
  if (isProfileName(name)) {
    await requireSignedOut(context, name);
    await signedInClient(runtime, await openProfile(runtime, name))?.logout();
  }
  return await change(
    context,
    (config) => {
      if (config.profiles[name] === undefined) throw unknownProfile(name, config, seeProfiles);
      const { [name]: _removed, ...profiles } = config.profiles;
      return { ...config, profile: config.profile === name ? "default" : config.profile, profiles };
    },
    `Removed the profile "${name}".`,
  );
}

async function change(
  { runtime, output }: CommandContext,
  edit: (config: Config) => Config,
  done: string,
): Promise<number> {
  const folder = pathsFor(runtime).config;
  const config = edit(await loadConfig(folder));
  await saveConfig(folder, config);
  if (output.json) output.data({ profile: config.profile, profiles: config.profiles });
  else output.note(done);
  return exitCodes.ok;
}

async function requireSignedOut({ runtime }: CommandContext, name: string): Promise<void> {
  const opened = await openProfile(runtime, name);
  const session = await signedInClient(runtime, opened)
    ?.session()
    .catch(() => undefined);
  if (session === undefined) return;
  throw new CliError("usage", {
    what: `The profile "${name}" is signed in.`,
    why: "Its session would be left behind.",
    hint: "Sign out first",
    next: { do: "run", words: ["logout", "--profile", name] },
    exitCode: exitCodes.usage,
  });
}
