import { Command } from "commander";
import type { ServerContext } from "../context.js";
import {
  type CredentialKeysDescription,
  describeCredentialKeys,
  resealCredentials,
} from "../upkeep/credential-keys/reseal.js";

type WithContext = (work: (context: ServerContext) => Promise<void>) => Promise<void>;

export interface CredentialKeysCommandOptions {
  /** Opens the installation for reading and closes it afterwards. */
  readonly withReader: WithContext;
  /** Opens the installation for one command and closes it afterwards. */
  readonly withInstallation: WithContext;
  readonly print: (text: string) => void;
  readonly exitWith: (code: number) => void;
}

/** Creates `authz-server credential-keys`, with which an operator watches and ends the replacement of the encryption key. */
export function createCredentialKeysCommand(options: CredentialKeysCommandOptions): Command {
  const { withReader, withInstallation, print, exitWith } = options;
  const keys = new Command("credential-keys").description(
    "show which key has sealed the stored credentials, and seal them again",
  );

  const report = (described: CredentialKeysDescription) => {
    print(format(described));
    if (!isReplaced(described)) exitWith(1);
  };

  keys
    .command("status")
    .description("show which key has sealed how much: exit code 1 while more than one is needed")
    .option("--json", "print JSON")
    .action((given: { json?: true }) =>
      withReader(async (context) => {
        const described = await describeCredentialKeys(context);
        if (!given.json) return report(described);
        print(`${JSON.stringify(described, null, 2)}\n`);
        if (!isReplaced(described)) exitWith(1);
      }),
    );

  keys
    .command("reseal")
    .description(
      "seal everything with AUTHZ_CREDENTIAL_ENCRYPTION_KEY now: exit code 1 when something is left",
    )
    .action(() =>
      withInstallation(async (context) => {
        await context.store.sealedSecrets.renewKey(context.credentials.activeKeyId);
        const { clock } = context;
        const resealed = await resealCredentials(context, { actor: { type: "operator" }, clock });
        print(`${resealed} credentials sealed again.\n`);
        report(await describeCredentialKeys(context));
      }),
    );

  return keys;
}

function isReplaced({ keys, unreadable }: CredentialKeysDescription): boolean {
  return unreadable.length === 0 && keys.every(({ active }) => active);
}

function format(described: CredentialKeysDescription): string {
  const { keys, unreadable, activeKeyId } = described;
  const lines = keys.map(
    ({ keyId, active, secrets }) => `${keyId}: ${secrets} credentials, ${active ? "active" : "only opens"}`,
  );
  for (const row of unreadable) lines.push(`${row}: NO KEY THAT IS NAMED HERE OPENS IT`);
  lines.push(
    isReplaced(described)
      ? `Once all servers have ${activeKeyId} as AUTHZ_CREDENTIAL_ENCRYPTION_KEY, no other key is needed.`
      : "Keep every key that is named here.",
  );
  return `${lines.join("\n")}\n`;
}
