import { join } from "node:path";
import {
  type AuthzClient,
  createClient,
  fileCache,
  fileStore,
  type Keyring,
  keyringStore,
  nodeTransport,
  proxyConnections,
  type SessionStore,
} from "@authz/client";
import { exitCodes } from "../exit-code.js";
import { holdingInterruptions } from "../interruption.js";
import { CliError } from "../messages/cli-error.js";
import type { NextStep } from "../messages/next-step.js";
import type { Runtime, Watcher } from "../runtime.js";
import {
  defaultProfile,
  exampleIssuer,
  isProfileName,
  loadConfig,
  type Paths,
  type Profile,
  pathsFor,
  type StoreKind,
} from "./config.js";
import { systemKeyring } from "./system-keyring.js";
import { watchedTransport } from "./watched-transport.js";

/** Windows keeps at most 2560 bytes of UTF-16 in one credential. */
const windowsSecretLength = 1200;

/** A profile with its name and the folders it lives in. */
export interface OpenProfile {
  name: string;
  paths: Paths;
  /** Undefined for a profile without a sign-in. */
  profile: Profile | undefined;
}

/** Finds the profile to work with: `--profile`, then `AUTHZ_PROFILE`, then the one chosen in the configuration. */
export async function openProfile(runtime: Runtime, asked: string | undefined): Promise<OpenProfile> {
  const paths = pathsFor(runtime);
  const config = await loadConfig(paths.config);
  const name = asked ?? nonEmpty(runtime.env.AUTHZ_PROFILE) ?? config.profile;
  if (!isProfileName(name)) {
    throw new CliError("usage", {
      what: `"${name}" is not a valid name for a profile.`,
      why: "Names consist of lowercase letters, digits and hyphens.",
      hint: `Leave --profile out to use "${defaultProfile}".`,
      exitCode: exitCodes.usage,
    });
  }
  return { name, paths, profile: config.profiles[name] };
}

/** A client for a profile with a session. */
export async function openClient(
  runtime: Runtime,
  asked: string | undefined,
): Promise<{ client: AuthzClient; opened: OpenProfile }> {
  const opened = await openProfile(runtime, asked);
  const client = signedInClient(runtime, opened);
  if (client === undefined) throw notSignedIn(opened);
  return { opened, client };
}

/** The client of a profile, or undefined before the first sign-in with it. */
export function signedInClient(runtime: Runtime, opened: OpenProfile): AuthzClient | undefined {
  const { profile } = opened;
  if (profile?.store === undefined) return undefined;
  return clientFor(runtime, opened, { issuer: profile.issuer, store: profile.store });
}

/** A client for an issuer and a kind of store. */
export function clientFor(
  runtime: Runtime,
  opened: OpenProfile,
  { issuer, store }: { issuer: string; store: StoreKind },
): AuthzClient {
  refuseExposure(runtime);
  const { clock, env, watcher } = runtime;
  const transport = nodeTransport(proxyConnections(env));
  const cachePath = join(opened.paths.cache, `metadata${suffixOf(opened)}.json`);
  return createClient({
    issuer,
    store: watchedStore(deferSignals(openStore(runtime, opened, store)), watcher),
    cache: fileCache(cachePath, clock),
    clock,
    transport: watcher === undefined ? transport : watchedTransport(transport, watcher, clock),
  });
}

/** @throws {CliError} `usage` */
function refuseExposure({ exposure }: Runtime): void {
  const found = exposure();
  if (found !== undefined) throw new CliError("usage", { ...found, exitCode: exitCodes.usage });
}

/** The same store, whose wait for another process is shown when it is long. */
function watchedStore(store: SessionStore, watcher: Watcher | undefined): SessionStore {
  if (watcher === undefined) return store;
  return {
    ...store,
    exclusively: async (run, what) => {
      const begun = watcher.waitFor("another authz process");
      const turn = store.exclusively(async () => {
        begun();
        return await run();
      }, what);
      return await turn.finally(begun);
    },
  };
}

/** The file that holds the session of a profile when there is no keyring. */
export function sessionPath(opened: OpenProfile): string {
  return join(opened.paths.state, `session${suffixOf(opened)}.json`);
}

function suffixOf({ name }: OpenProfile): string {
  return name === defaultProfile ? "" : `-${name}`;
}

function openStore({ platform }: Runtime, opened: OpenProfile, store: StoreKind): SessionStore {
  const path = sessionPath(opened);
  if (store === "file") return fileStore(path);
  return keyringStore({
    keyring: lazyKeyring(),
    account: `session${suffixOf(opened)}`,
    lockPath: `${path}.lock`,
    ...(platform === "win32" ? { maxSecretLength: windowsSecretLength } : {}),
  });
}

/** Loads the native module when the first secret is needed. */
function lazyKeyring(): Keyring {
  let loaded: Promise<Keyring> | undefined;
  const load = async (): Promise<Keyring> => {
    loaded ??= systemKeyring();
    return await loaded;
  };
  return {
    get: async (account) => await (await load()).get(account),
    set: async (account, secret) => await (await load()).set(account, secret),
    remove: async (account) => await (await load()).remove(account),
  };
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** How to sign in with a profile: the first time it takes the address of the server. */
export function signInStep({ profile }: OpenProfile): NextStep {
  return profile === undefined
    ? { do: "run", words: ["login", "--issuer", exampleIssuer] }
    : { do: "sign_in" };
}

function notSignedIn(opened: OpenProfile): CliError {
  const { name, profile } = opened;
  return new CliError("not_signed_in", {
    what: "You are not signed in.",
    why:
      profile === undefined
        ? `The profile "${name}" has no authorization server yet.`
        : `Nobody has signed in with the profile "${name}" yet.`,
    hint: "Sign in",
    next: signInStep(opened),
    exitCode: exitCodes.signInNeeded,
  });
}

/**
 * Holds back the first Ctrl-C while the session is being changed, so that a renewal that is under way is kept and need not be asked
 * for again. A second Ctrl-C ends the process at once.
 */
function deferSignals(store: SessionStore): SessionStore {
  return {
    ...store,
    // What is only asked for is asked for again by the next command.
    exclusively: async (run, what) =>
      await (what === undefined
        ? store.exclusively(async () => await holdingInterruptions(run))
        : store.exclusively(run, what)),
  };
}
