import { readFileSync } from "node:fs";
import type presetFile from "../../locales/provider-presets.json";
import { packageFolder } from "../platform/package-folder.js";
import type { WantedIdentityProvider } from "../registry/identity-provider.js";

/** What a set-up decides: who administers, where people sign in, and what the installation is called. */
export interface Installation {
  readonly installationName: string;
  /** Lower case. */
  readonly administratorEmail: string;
  readonly provider: InstallationProvider;
}

/** The OpenID provider of a set-up. Its client secret is in the clear, so this is never stored or logged as it is. */
interface InstallationProvider extends Omit<WantedIdentityProvider, "key" | "enabled"> {
  /** Default: derived from the name. */
  readonly key: string | undefined;
  /** Text of the sign-in button; `null`: the name. */
  readonly buttonLabel: string | null;
  readonly clientSecret: string | null;
}

export type PresetKey = keyof typeof presetFile;

/** A kind of OpenID provider, and what is the same for all of its customers. */
export interface Preset {
  readonly key: PresetKey;
  /** `undefined`: the page has a word for it. */
  readonly name: string | undefined;
  /** The issuer; what a customer replaces stands in braces. */
  readonly issuer: string;
  /** Where the vendor describes how an application is registered. */
  readonly documentation: string | undefined;
}

const file = new URL("locales/provider-presets.json", packageFolder);

/** The console offers the same ones. */
export const presets: Readonly<Record<PresetKey, Preset>> = readPresets(readFileSync(file, "utf8"));
export const presetKeys = Object.keys(presets) as PresetKey[];

function readPresets(text: string): Readonly<Record<PresetKey, Preset>> {
  const entries = Object.entries(JSON.parse(text) as Record<PresetKey, Partial<Preset>>);
  return Object.fromEntries(entries.map(([key, preset]) => [key, { key, ...preset }])) as Record<
    PresetKey,
    Preset
  >;
}

/** What every provider takes. */
export const defaultScopes = ["openid", "profile", "email"] as const;

/** Client authentication methods; empty: by the provider's metadata. */
export const authMethods = ["", "client_secret_basic", "client_secret_post", "none"] as const;

export function readPreset(text: string | undefined): Preset | undefined {
  const key = presetKeys.find((candidate) => candidate === text);
  return key && presets[key];
}

/** An installation file that was refused as a whole; each problem names its place in the file. */
export class InstallFileError extends Error {
  override readonly name = "InstallFileError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Nothing was installed:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** The fields of the form, in their order on the page. */
export const detailFields = [
  "administrator_email",
  "installation_name",
  "name",
  "button_label",
  "issuer",
  "discovery_url",
  "client_id",
  "client_secret",
  "auth_method",
  "scopes",
  "domains",
] as const;

export type DetailField = (typeof detailFields)[number];

/** The form as submitted. The secret is never rendered again. */
export type DetailValues = Readonly<Record<DetailField, string>>;
