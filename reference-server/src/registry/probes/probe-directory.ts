import type { ServerContext } from "../../context.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import { groupProviderSecretRow } from "../../platform/vault/rows.js";
import { DirectoryError, fetchGroups } from "../../permissions/groups/fetch-groups.js";
import type { Store } from "../../store/store.js";
import { fault } from "../../objects/check.js";
import { invalid } from "../refusal.js";
import type { Message } from "../../text/message.js";
import type { Check } from "./check.js";

/** Which directory, and about whom. */
export interface DirectoryQuestion {
  /** Of a stored directory, whose secret is used when none is given. */
  readonly key?: string | undefined;
  readonly url: string;
  readonly secret?: string | undefined;
  readonly email: string;
}

/** What a directory said when it was asked once. */
export interface DirectoryAnswer {
  readonly checks: Check[];
  readonly groups: string[];
}

/**
 * Asks a directory once, as a decision would, and remembers nothing.
 *
 * @throws {Refusal} `invalid_request`: no secret is given, and none is stored for this address.
 */
export async function probeDirectory(
  question: DirectoryQuestion,
  {
    store,
    credentials,
    outboundFetch,
    say,
  }: Pick<ServerContext, "credentials" | "outboundFetch"> & {
    readonly store: Store;
    readonly say: (message: Message) => string;
  },
): Promise<DirectoryAnswer> {
  const { url, email } = question;
  const answer = (state: Check["state"], found: Message, groups: string[] = []): DirectoryAnswer => {
    const title = say({ key: "administration.directory.title" });
    return { checks: [{ id: "groups", state, title, detail: say(found) }], groups };
  };
  try {
    const secret = question.secret ?? (await loadSecret(question, { store, credentials }));
    const groups = [...(await fetchGroups({ url, secret }, email, outboundFetch))];
    const values = { email, groups: groups.length };
    const passed: Message = { key: "administration.directory.passed", values };
    return answer(
      "passed",
      passed,
      groups.sort((one, other) => one.localeCompare(other, "en")),
    );
  } catch (error) {
    if (error instanceof DirectoryError) return answer("failed", error.sentence);
    if (!(error instanceof VaultError)) throw error;
    return answer("failed", { key: "administration.directory.unreadable" });
  }
}

/** A stored secret goes to the address it was stored for, and nowhere else. */
async function loadSecret(
  { key, url }: DirectoryQuestion,
  { store, credentials }: { readonly store: Store } & Pick<ServerContext, "credentials">,
): Promise<string> {
  const found = key === undefined ? undefined : await store.groupProviders.findByKey(key);
  if (found?.type !== "directory" || found.url !== url) {
    throw invalid(fault("secret", "noStoredSecret"));
  }
  return await credentials.open(found.secret, groupProviderSecretRow(found.id));
}
