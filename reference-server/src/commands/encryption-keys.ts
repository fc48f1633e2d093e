import { Command, InvalidArgumentError } from "commander";
import type { ServerContext } from "../context.js";
import type { CommandHost } from "./command-host.js";
import {
  countedAs,
  describeKeys,
  type EncryptionKeyContext,
  type KeyPurpose,
  type KeysDescription,
  type KeyUse,
  listUnreadableCredentials,
  sealedTables,
} from "../encryption-keys/describe-keys.js";
import { rewrapAll } from "../encryption-keys/rewrap-keys.js";

const purposes = Object.keys(sealedTables) as readonly KeyPurpose[];
const defaultBatch = 200;
const maxBatch = 5_000;
/** A process that still seals with another key could keep this busy for ever. */
const maxRuns = 5;

/** Creates `authz-server encryption-keys`, with which an operator watches and replaces both encryption keys. */
export function createEncryptionKeysCommand({
  withReader,
  withInstallation,
  print,
  exitWith,
}: Omit<CommandHost, "printLines">): Command {
  const keys = new Command("encryption-keys").description(
    "show the keys that encrypt stored secrets, and replace them",
  );

  keys
    .command("status")
    .description("show which key has encrypted how much: exit code 1 when something cannot be read")
    .option("--json", "print JSON")
    .action((given: { json?: true }) =>
      withReader(async (context) => {
        const status = await readStatus(context);
        print(given.json ? `${JSON.stringify(toJson(status), null, 2)}\n` : formatStatus(status));
        if (!isHealthy(status)) exitWith(1);
      }),
    );

  keys
    .command("rewrap")
    .description("encrypt everything with the active keys: exit code 1 when something is left")
    .option("--batch <n>", `rows in one transaction, 1 to ${maxBatch}`, toBatch, defaultBatch)
    .action(({ batch: limit }: { batch: number }) =>
      withInstallation(async (context) => {
        await context.store.sealedSecrets.renewKey(await context.credentials.activeKeyId());
        const left: string[] = [];
        for (const purpose of purposes) {
          left.push(...(await replaceKey({ purpose, limit, print }, context)));
        }
        print(left.map((line) => `${line}\n`).join(""));
        if (left.length > 0) exitWith(1);
      }),
    );

  return keys;
}

/** Repeats until a run replaces no row: rows that changed meanwhile come again. Returns what is left. */
async function replaceKey(
  {
    purpose,
    limit,
    print,
  }: { readonly purpose: KeyPurpose; readonly limit: number; readonly print: (text: string) => void },
  context: ServerContext,
): Promise<readonly string[]> {
  const { clock } = context;
  if (isUnused(await describeKeys(purpose, context))) return [];
  const onBatch = (table: (typeof sealedTables)[KeyPurpose][number], rewrapped: number) => {
    if (rewrapped > 0) print(`${rewrapped} ${countedAs(table)} encrypted again.\n`);
  };
  let result: Awaited<ReturnType<typeof rewrapAll>>;
  let runs = 0;
  do {
    result = await rewrapAll({ purpose, limit, actor: { type: "operator" }, clock, onBatch }, context);
    runs += 1;
  } while (result.rewrapped > 0 && runs < maxRuns);

  const { activeKeyId, keys } = await describeKeys(purpose, context);
  const others = keys.filter(({ active }) => !active);
  const left = others.map(
    (use) => `${formatUse(purpose, use)}: ${use.readable ? "left" : "this key is not configured"}`,
  );
  const unreadable = purpose === "credentials" ? await listUnreadableCredentials(context) : result.unreadable;
  for (const row of unreadable) left.push(`${row} does not open: it has to be entered or connected again`);
  if (left.length === 0) {
    const done = `Everything of ${purpose} is encrypted with ${activeKeyId}.`;
    print(`${done} Other keys can be removed once all servers have it and "status" says the same.\n`);
  }
  return left;
}

interface Status {
  readonly descriptions: readonly (readonly [KeyPurpose, KeysDescription])[];
  /** Credentials that do not open. */
  readonly unreadable: readonly string[];
}

async function readStatus(context: EncryptionKeyContext): Promise<Status> {
  const credentials = await describeKeys("credentials", context);
  const connectors = await describeKeys("connectors", context);
  return {
    descriptions: [
      ["credentials", credentials],
      ["connectors", connectors],
    ],
    unreadable: await listUnreadableCredentials(context),
  };
}

/** An installation without connectors needs no key for them. */
function isUnused({ state, keys }: KeysDescription): boolean {
  return state === "not_configured" && keys.length === 0;
}

function isHealthy({ descriptions, unreadable }: Status): boolean {
  const areReadable = descriptions.every(
    ([, description]) =>
      isUnused(description) ||
      (description.state === "ready" && description.keys.every(({ readable }) => readable)),
  );
  return areReadable && unreadable.length === 0;
}

function toJson({ descriptions, unreadable }: Status): object {
  const shown = descriptions.map(([purpose, { keys, ...description }]) => [
    purpose,
    {
      ...description,
      keys: keys.map(({ keyId, active, readable, ...counts }) => ({
        keyId,
        active,
        readable,
        ...Object.fromEntries(countNames(purpose).map((name) => [name, counts[name]])),
      })),
    },
  ]);
  return { ...Object.fromEntries(shown), unreadable };
}

function formatStatus({ descriptions, unreadable }: Status): string {
  const lines = descriptions.flatMap(([purpose, { state, problem, keys }]) => [
    `${purpose}: ${state}${problem === null ? "" : `. ${problem}`}`,
    ...keys.map((use) => `  ${formatUse(purpose, use)}, ${roleOf(use)}`),
  ]);
  for (const row of unreadable) lines.push(`${row}: NO KEY THAT IS NAMED HERE OPENS IT`);
  return `${lines.join("\n")}\n`;
}

function roleOf({ active, readable }: KeyUse): string {
  if (active) return "active";
  return readable ? "only opens" : "NOT CONFIGURED: nothing of this opens";
}

function formatUse(purpose: KeyPurpose, use: KeyUse): string {
  const counts = countNames(purpose).map((name) => `${use[name]} ${name}`);
  return `${use.keyId}: ${counts.join(", ")}`;
}

function countNames(purpose: KeyPurpose): readonly ReturnType<typeof countedAs>[] {
  return [...new Set(sealedTables[purpose].map(countedAs))];
}

function toBatch(text: string): number {
  const batch = Number(text);
  if (!/^\d{1,4}$/.test(text) || batch < 1 || batch > maxBatch) {
    throw new InvalidArgumentError(`It is not a whole number from 1 to ${maxBatch}.`);
  }
  return batch;
}
