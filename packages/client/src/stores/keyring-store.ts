import { AuthzClientError } from "../errors.js";
import { exclusivelyWith, type SessionStore } from "./session-store.js";

/** The operating system's keyring: secrets by account name. */
export interface Keyring {
  get(account: string): Promise<string | null | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Options of {@link keyringStore}. */
export interface KeyringStoreOptions {
  keyring: Keyring;
  /** Name of the entry; further entries are called `{account}/{generation}/{n}`. */
  account: string;
  /** A file that is locked while the session changes: keyrings themselves have no locks. */
  lockPath: string;
  /** Longest secret the keyring takes, in characters. Windows: 1280. */
  maxSecretLength?: number;
}

/**
 * A store in the operating system's keyring.
 *
 * A session that is longer than the keyring allows is cut into parts. The parts are written under new names first and the
 * entry that names them last, so a crash in between leaves the old session readable.
 */
export function keyringStore(options: KeyringStoreOptions): SessionStore {
  const { keyring, account, lockPath, maxSecretLength = Number.POSITIVE_INFINITY } = options;

  const partName = (generation: number, index: number): string =>
    `${account}/${String(generation)}/${String(index)}`;

  async function removeParts(head: string | null | undefined): Promise<void> {
    const { generation, count } = parseParts(head) ?? { generation: 0, count: 0 };
    for (let index = 0; index < count; index += 1) await keyring.remove(partName(generation, index));
  }

  async function read(): Promise<string | undefined> {
    const head = await keyring.get(account);
    const parts = parseParts(head);
    if (parts === undefined) return head ?? undefined;
    let text = "";
    for (let index = 0; index < parts.count; index += 1)
      text += (await keyring.get(partName(parts.generation, index))) ?? "";
    return text;
  }

  async function write(text: string): Promise<void> {
    const before = await keyring.get(account);
    if (text.length <= maxSecretLength) {
      await keyring.set(account, text);
    } else {
      const generation = ((parseParts(before)?.generation ?? 0) % 2) + 1;
      const count = Math.ceil(text.length / maxSecretLength);
      for (let index = 0; index < count; index += 1) {
        const part = text.slice(index * maxSecretLength, (index + 1) * maxSecretLength);
        await keyring.set(partName(generation, index), part);
      }
      await keyring.set(account, `parts ${String(generation)} ${String(count)}`);
    }
    await removeParts(before);
  }

  return {
    read: async () => await guarded(read()),
    write: async (text) => await guarded(write(text)),
    remove: async () =>
      await guarded(
        (async () => {
          const head = await keyring.get(account);
          await removeParts(head);
          await keyring.remove(account);
        })(),
      ),
    exclusively: exclusivelyWith(lockPath),
  };
}

function parseParts(head: string | null | undefined): { generation: number; count: number } | undefined {
  const match = /^parts (\d+) (\d+)$/.exec(head ?? "");
  return match === null ? undefined : { generation: Number(match[1]), count: Number(match[2]) };
}

async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new AuthzClientError("keyring_unusable", {
      what: "The keyring of this computer cannot be used.",
      ...(cause instanceof Error ? { why: cause.message } : {}),
      cause,
    });
  }
}
