import type { Clock } from "@authz/dpop";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import { groupProviderSecretRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Store } from "../../store/store.js";
import { DirectoryError, fetchGroups } from "./fetch-groups.js";

/** The directories of groups. */
export interface GroupDirectories {
  /** The groups of an address, or `undefined` while the directory is away. Never throws because of a directory. */
  groupsOf(groupProviderId: string, email: string): Promise<ReadonlySet<string> | undefined>;
}

/** Cache time of an answer: how long a person may keep a group after the directory has removed them. */
export const cacheSeconds = 15;
/** Pause after a failure of a directory, in which requests do not wait for it. */
export const pauseSeconds = 5;
const maximumEntries = 10_000;

interface Answer {
  readonly groups: Promise<ReadonlySet<string> | undefined>;
  readonly until: number;
}

interface DirectoriesContext {
  readonly store: Pick<Store, "groupProviders">;
  readonly credentials: Vault;
  readonly outboundFetch: OutboundFetch;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Creates the client of all directories. Its cache is bounded in time and size. */
export function createGroupDirectories(context: DirectoriesContext): GroupDirectories {
  const { store, credentials, outboundFetch, clock, log } = context;
  const answers = new LRUCache<string, Answer>({ max: maximumEntries });
  /** Directories that failed, and when their pause ends. */
  const pauses = new Map<string, number>();

  async function ask(id: string, email: string): Promise<ReadonlySet<string> | undefined> {
    const provider = await store.groupProviders.find(id);
    if (provider?.type !== "directory" || !provider.enabled) return new Set();
    const { key, url, secret: sealed } = provider;
    try {
      const secret = await credentials.open(sealed, groupProviderSecretRow(id));
      const groups = await fetchGroups({ url, secret }, email, outboundFetch);
      if (pauses.delete(id)) log.info({ groupProvider: key }, `The group directory ${key} answers again.`);
      return groups;
    } catch (error) {
      if (!(error instanceof DirectoryError) && !(error instanceof VaultError)) throw error;
      const message = `The group directory ${key} gives no permissions now. ${error.message}`;
      // One warning per outage; repeats are logged at debug level.
      if (pauses.has(id)) log.debug({ groupProvider: key }, message);
      else log.warn({ code: "GROUP_DIRECTORY_AWAY", groupProvider: key }, message);
      pauses.set(id, clock() + pauseSeconds * 1000);
      return undefined;
    }
  }

  return {
    async groupsOf(id, email) {
      const key = `${id} ${email}`;
      const known = answers.get(key);
      if (known !== undefined && known.until > clock()) return await known.groups;
      answers.delete(key);
      if ((pauses.get(id) ?? 0) > clock()) return undefined;
      const groups = ask(id, email);
      answers.set(key, { groups, until: clock() + cacheSeconds * 1000 });
      const forget = () => void (answers.get(key)?.groups === groups && answers.delete(key));
      // A failure is remembered by the pause, for every address.
      void groups.then((answer) => answer ?? forget(), forget);
      return await groups;
    },
  };
}
