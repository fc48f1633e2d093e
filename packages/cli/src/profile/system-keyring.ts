import { setTimeout as delay } from "node:timers/promises";
import type { Keyring } from "@authz/client";

const keyringService = "authz";
/** Long enough to type the password that unlocks it. */
const requestTimeoutSeconds = 60;
/** How long a keyring that does not answer is taken for a busy one. */
const busySeconds = 15;

/**
 * The keyring of the operating system.
 *
 * On Linux it is the Secret Service and nothing else: the kernel's own keyring forgets everything at the next restart, and a
 * session that is gone in the morning is worse than a clear choice today.
 */
export async function systemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import("@napi-rs/keyring");
  const entry = (account: string): InstanceType<typeof AsyncEntry> =>
    new AsyncEntry(keyringService, account, { linux: { store: "secret-service" } });
  const keyring: Keyring = {
    get: async (account) => await entry(account).getPassword(),
    set: async (account, secret) => await entry(account).setPassword(secret),
    remove: async (account) => {
      await entry(account).deletePassword();
    },
  };
  return answeringWithin(requestTimeoutSeconds, askedAgainWhileBusy(busySeconds, keyring));
}

/**
 * The same keyring, but one that is asked again when no reply came.
 *
 * The library waits two seconds. A keyring is one process that answers one question after another, so twenty commands at once
 * on a busy computer take longer than that. Reading, writing and removing an entry may each be repeated.
 */
export function askedAgainWhileBusy(seconds: number, keyring: Keyring): Keyring {
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    // Not `performance`, which takes longer to load than the keyring takes to answer.
    const end = process.uptime() + seconds;
    for (let longest = 100; ; longest *= 2) {
      try {
        return await ask();
      } catch (error) {
        const pause = longest * (0.5 + Math.random() / 2);
        if (!isNoReply(error) || process.uptime() + pause / 1000 > end) throw error;
        await delay(pause);
      }
    }
  };
  return {
    get: async (account) => await patiently(async () => await keyring.get(account)),
    set: async (account, secret) => await patiently(async () => await keyring.set(account, secret)),
    remove: async (account) => await patiently(async () => await keyring.remove(account)),
  };
}

function isNoReply(error: unknown): boolean {
  return error instanceof Error && /NoReply|did not receive a reply/i.test(error.message);
}

/** The same keyring, but one that says so when it does not answer: a broken desktop session waits for ever. */
export function answeringWithin(seconds: number, keyring: Keyring): Keyring {
  const limited = async <T>(work: Promise<T>): Promise<T> =>
    await new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`It did not answer within ${String(seconds)} seconds.`)),
        seconds * 1000,
      );
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  return {
    get: async (account) => await limited(keyring.get(account)),
    set: async (account, secret) => await limited(keyring.set(account, secret)),
    remove: async (account) => await limited(keyring.remove(account)),
  };
}

/**
 * Why the operating system's keyring does not work, or undefined when it does: one entry is written, read and removed.
 *
 * The module for this platform may be missing, too.
 */
export async function keyringProblem(
  open: () => Promise<Keyring> = systemKeyring,
): Promise<string | undefined> {
  const account = `probe-${String(process.pid)}`;
  try {
    const keyring = await open();
    await keyring.set(account, "probe");
    const read = await keyring.get(account);
    await keyring.remove(account);
    return read === "probe" ? undefined : "It did not return what was written to it.";
  } catch (error) {
    return describeKeyringFailure(error);
  }
}

/** What the keyring module and the libraries below it say, and what it means. The first that fits counts. */
const meanings: readonly (readonly [said: RegExp, meaning: string])[] = [
  [
    /native binding|Cannot find module|ERR_MODULE_NOT_FOUND/i,
    "Its module for this platform is not installed.",
  ],
  [
    /DBUS_SESSION_BUS_ADDRESS|connect to socket|autolaunch|No DBus session|Connection refused/i,
    "This terminal belongs to no desktop session, and keyrings run in one.",
  ],
  [
    /ServiceUnknown|not provided by any|was not activatable|StartServiceByName/i,
    "No keyring program runs in this desktop session.",
  ],
  [/prompt was dismissed/i, "It is locked, and the question for its password was closed."],
  [/object locked|is locked|interaction is not allowed/i, "It is locked."],
  [/NoReply|did not receive a reply|disconnected|timed? ?out/i, "It does not answer."],
  [
    /no result found|no such object|does not exist/i,
    "It has no place for new entries. Open it once in the desktop's password program.",
  ],
];

/** Why the keyring failed, in words a person can do something with; the words of the libraries when they are new to us. */
export function describeKeyringFailure(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return meanings.find(([pattern]) => pattern.test(said))?.[1] ?? said;
}
