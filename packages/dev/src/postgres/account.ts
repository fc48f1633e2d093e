import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";

/** The operating system account PostgreSQL runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account PostgreSQL has to run as, or `undefined` when the current one will do.
 *
 * PostgreSQL refuses to run as root, so root lends it an existing account without privileges: the one that already
 * owns the data, else `nobody`. No account is ever created.
 *
 * @throws {Error} This is root, and the machine has no other account.
 */
export function chooseAccount(dataDirectory: string): Account | undefined {
  if (process.geteuid?.() !== 0) {
    return undefined;
  }
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) {
    return { uid: owner.uid, gid: owner.gid };
  }
  const accounts = parseAccounts(readFileSync("/etc/passwd", "utf8"));
  const account = accounts.get("nobody") ?? [...accounts.values()].find(({ uid }) => uid > 0);
  if (account === undefined) {
    throw new Error(
      "PostgreSQL refuses to run as root, and /etc/passwd has no other account.\n" +
        "Add one (for example with: useradd --system nobody) or run this as an ordinary user.",
    );
  }
  return account;
}

function parseAccounts(passwd: string): ReadonlyMap<string, Account> {
  const accounts = new Map<string, Account>();
  for (const line of passwd.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      // macOS writes "nobody" as -2, which is this unsigned number.
      accounts.set(name, { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 });
    }
  }
  return accounts;
}

/** Whether the account may walk down to this path: the folder of a clone under /root is closed to other users. */
export function canReach(account: Account, path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const { uid, gid, mode } = statSync(folder);
    const executable = uid === account.uid ? mode & 0o100 : gid === account.gid ? mode & 0o010 : mode & 0o001;
    if (executable === 0) {
      return false;
    }
    if (folder === dirname(folder)) {
      return true;
    }
  }
}

/** A folder for temporary files that the account can read as well. */
export function reachableTemporaryFolder(account: Account | undefined): string {
  const found = [tmpdir(), "/var/tmp", "/tmp"].find(
    (folder) => existsSync(folder) && (account === undefined || canReach(account, folder)),
  );
  if (found === undefined) {
    throw new Error("No temporary folder is open to other accounts. Set TMPDIR to one that is.");
  }
  return realpathSync(found);
}
