import { parseIssuer } from "@authz/client";
import { CliError, type CliErrorText } from "../messages/cli-error.js";
import { type Config, EXAMPLE_ISSUER, isProfileName, loadConfig, saveConfig } from "../config/config.js";
import { pathsFor } from "../config/paths.js";
import { SEE_PROFILES, unknownProfile } from "../config/unknown-profile.js";
import { EXIT } from "../exit-code.js";
import { openProfile, signedInClient } from "../session/open-client.js";
import type { CommandContext } from "./command.js";

/** Shows the profiles, and which one is used. */
export async function showConfig({ surroundings, output, offer }: CommandContext): Promise<number> {
  const paths = pathsFor(surroundings);
  const config = await loadConfig(paths.config);
  const { profile, profiles } = config;
  if (output.json) {
    output.data({ profile, profiles, paths });
    return EXIT.ok;
  }
  const names = Object.keys(profiles);
  if (names.length === 0) {
    output.note(
      `There is no profile yet. The first log-in makes one: ${offer({ do: "run", words: ["login", "--issuer", EXAMPLE_ISSUER] })}`,
    );
    return EXIT.ok;
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
  return EXIT.ok;
}

/** What to do about a profile that is not there. */
function signingInMakes(name: string): Pick<CliErrorText, "hint" | "next"> {
  return {
    hint: "Make it by signing in",
    next: { do: "run", words: ["login", "--issuer", EXAMPLE_ISSUER, "--profile", name] },
  };
}

/** Chooses the profile that is used when none is named. */
export async function useProfile(context: CommandContext, name: string): Promise<number> {
  return await change(
    context,
    (config) => {
      if (config.profiles[name] === undefined)
        throw unknownProfile(name, config, isProfileName(name) ? signingInMakes(name) : SEE_PROFILES);
      return { ...config, profile: name };
    },
    `The profile "${name}" is used from now on.`,
  );
}

/** Sets the server of a profile before anybody signs in with it. */
export async function setIssuer(context: CommandContext, issuer: string): Promise<number> {
  const { surroundings, profile: asked } = context;
  const opened = await openProfile(surroundings, asked);
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
export async function removeProfile(context: CommandContext, name: string): Promise<number> {
  const { surroundings } = context;
  if (isProfileName(name)) {
    await requireSignedOut(context, name);
    await signedInClient(surroundings, await openProfile(surroundings, name))?.logout();
  }
  return await change(
    context,
    (config) => {
      if (config.profiles[name] === undefined) throw unknownProfile(name, config, SEE_PROFILES);
      const { [name]: _removed, ...profiles } = config.profiles;
      return { ...config, profile: config.profile === name ? "default" : config.profile, profiles };
    },
    `The profile "${name}" is gone.`,
  );
}

async function change(
  { surroundings, output }: CommandContext,
  edit: (config: Config) => Config,
  done: string,
): Promise<number> {
  const folder = pathsFor(surroundings).config;
  const config = edit(await loadConfig(folder));
  await saveConfig(folder, config);
  if (output.json) output.data({ profile: config.profile, profiles: config.profiles });
  else output.note(done);
  return EXIT.ok;
}

async function requireSignedOut({ surroundings }: CommandContext, name: string): Promise<void> {
  const opened = await openProfile(surroundings, name);
  const session = await signedInClient(surroundings, opened)
    ?.session()
    .catch(() => undefined);
  if (session === undefined) return;
  throw new CliError("usage", {
    what: `The profile "${name}" is signed in.`,
    why: "Its session would be left behind.",
    hint: "Sign out first",
    next: { do: "run", words: ["logout", "--profile", name] },
    exitCode: EXIT.usage,
  });
}
