import type { ServerContext } from "../../context.js";
import { groupProviderSecretRow } from "../../platform/vault/rows.js";
import { CredentialUnreadableError } from "../../platform/vault/credential-vault.js";
import { DirectoryError, fetchGroups } from "../../permissions/groups/fetch-groups.js";
import type { Store } from "../../store/store.js";
import { fault, invalid } from "../../registry/refusal.js";
import type { Message } from "../../text/message.js";
import type { CheckedGroupProviderCheck, GroupProviderCheckResult } from "./schemas.js";

/**
 * Asks a directory once, as a decision would, and remembers nothing.
 *
 * @throws {Refusal} `invalid_request`: no secret is given, and none is stored for this address.
 */
export async function checkDirectory(
  check: CheckedGroupProviderCheck,
  {
    store,
    credentials,
    outboundFetch,
    say,
  }: Pick<ServerContext, "credentials" | "outboundFetch"> & {
    readonly store: Store;
    readonly say: (message: Message) => string;
  },
): Promise<GroupProviderCheckResult> {
  const { url, email } = check;
  try {
    const secret = check.secret ?? (await loadSecret(check, { store, credentials }));
    const groups = await fetchGroups({ url, secret }, email, outboundFetch);
    const names = [...groups].sort((one, other) => one.localeCompare(other, "en"));
    return {
      state: "passed",
      detail: say({ key: "administration.directory.passed", values: { email, groups: names.length } }),
      groups: names,
    };
  } catch (error) {
    if (error instanceof DirectoryError) return { state: "failed", detail: say(error.said), groups: [] };
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return { state: "failed", detail: say({ key: "administration.directory.unreadable" }), groups: [] };
  }
}

/** A stored secret goes to the address it was stored for, and nowhere else. */
async function loadSecret(
  { key, url }: CheckedGroupProviderCheck,
  { store, credentials }: { readonly store: Store } & Pick<ServerContext, "credentials">,
): Promise<string> {
  const found = key === undefined ? undefined : await store.groupProviders.findByKey(key);
  if (found?.type !== "directory" || found.url !== url) {
    throw invalid(fault("secret", "noStoredSecret"));
  }
  return credentials.open(found.secret, groupProviderSecretRow(found.id));
}
