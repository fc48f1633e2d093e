import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "@authz/client";
import { isJsonObject } from "@authz/dpop/jws";
import { exitCodes } from "../exit-code.js";
import { CliError, type CliErrorText } from "../messages/cli-error.js";
import type { Runtime } from "../runtime.js";

/** Where a profile keeps its session. */
export type StoreKind = "keyring" | "file";

/** One authorization server and how its session is kept. */
export interface Profile {
  issuer: string;
  store?: StoreKind;
}

/** What `config.json` holds. */
export interface Config {
  version: 1;
  /** The profile that is used when none is named. */
  profile: string;
  profiles: Readonly<Record<string, Profile>>;
}

export const defaultProfile = "default";
/** Placeholder for an unknown address of the server. */
export const exampleIssuer = "https://authz.example.com";

/** Reads `config.json`; a missing file is an empty configuration. */
export async function loadConfig(folder: string): Promise<Config> {
  const path = configPath(folder);
  const text = await readPrivateFile(path, { readableByOthers: true });
  if (text === undefined) return { version: 1, profile: defaultProfile, profiles: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(path, "It is not valid JSON.");
  }
  if (isConfig(value)) return value;
  throw invalid(path, 'It must have the members "version": 1, "profile" and "profiles".');
}

export async function saveConfig(folder: string, config: Config): Promise<void> {
  await writePrivateFile(configPath(folder), `${JSON.stringify(config, undefined, 2)}\n`);
}

/** Names that are safe as a part of a file name and of a keyring entry. */
export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,30}$/.test(name);
}

function configPath(folder: string): string {
  return join(folder, "config.json");
}

function isConfig(value: unknown): value is Config {
  if (!isJsonObject(value) || value.version !== 1 || typeof value.profile !== "string") return false;
  if (!isJsonObject(value.profiles)) return false;
  return Object.entries(value.profiles).every(([name, profile]) => isProfileName(name) && isProfile(profile));
}

function isProfile(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.issuer === "string" &&
    [undefined, "keyring", "file"].includes(value.store as string | undefined)
  );
}

function invalid(path: string, why: string): CliError {
  return new CliError("config_invalid", {
    what: `${path} cannot be used.`,
    why,
    hint: "Repair it. Or delete it, and sign in again",
    next: { do: "run", words: ["login", "--issuer", exampleIssuer] },
    exitCode: exitCodes.failure,
  });
}

export const seeProfiles: Pick<CliErrorText, "hint" | "next"> = {
  hint: "See the profiles",
  next: { do: "run", words: ["config"], inEveryProfile: true },
};

/** A profile was named that is not there. */
export function unknownProfile(
  name: string,
  config: Config,
  offered: Pick<CliErrorText, "hint" | "next">,
): CliError {
  return new CliError("usage", {
    what: `There is no profile "${name}".`,
    why: `Available: ${Object.keys(config.profiles).join(", ") || "none yet"}.`,
    ...offered,
    exitCode: exitCodes.usage,
  });
}

/** Where the command keeps things. The XDG variables work on every platform. */
export interface Paths {
  config: string;
  state: string;
  cache: string;
}

/** The folders for this platform (XDG, Application Support, AppData). */
export function pathsFor({ env, platform, home }: Runtime): Paths {
  const folder = (variable: string, otherwise: string): string => {
    const value = env[variable];
    return join(value === undefined || value === "" ? otherwise : value, "authz");
  };
  if (platform === "win32") {
    const roaming = env.APPDATA ?? join(home, "AppData", "Roaming");
    const local = env.LOCALAPPDATA ?? join(home, "AppData", "Local");
    return {
      config: folder("XDG_CONFIG_HOME", roaming),
      state: folder("XDG_STATE_HOME", local),
      cache: join(folder("XDG_CACHE_HOME", local), "cache"),
    };
  }
  if (platform === "darwin") {
    const support = join(home, "Library", "Application Support");
    return {
      config: folder("XDG_CONFIG_HOME", support),
      state: folder("XDG_STATE_HOME", support),
      cache: folder("XDG_CACHE_HOME", join(home, "Library", "Caches")),
    };
  }
  return {
    config: folder("XDG_CONFIG_HOME", join(home, ".config")),
    state: folder("XDG_STATE_HOME", join(home, ".local", "state")),
    cache: folder("XDG_CACHE_HOME", join(home, ".cache")),
  };
}
