import type { Keyring } from "@authz/client";

const SERVICE = "authz";

/**
 * The keyring of the operating system.
 *
 * On Linux it is the Secret Service and nothing else: the kernel's own keyring forgets everything at the next restart, and a
 * session that is gone in the morning is worse than a clear choice today.
 */
export async function systemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import("@napi-rs/keyring");
  const entry = (account: string): InstanceType<typeof AsyncEntry> =>
    new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
  return {
    get: async (account) => await entry(account).getPassword(),
    set: async (account, secret) => await entry(account).setPassword(secret),
    remove: async (account) => {
      await entry(account).deletePassword();
    },
  };
}

/** Writes, reads and removes one entry. Answers why that does not work, or undefined when it does. */
export async function probeKeyring(keyring: Keyring): Promise<string | undefined> {
  const account = `probe-${String(process.pid)}`;
  try {
    await keyring.set(account, "probe");
    const read = await keyring.get(account);
    await keyring.remove(account);
    return read === "probe" ? undefined : "It did not give back what was written to it.";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
