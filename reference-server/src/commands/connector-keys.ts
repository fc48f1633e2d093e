import { Command, InvalidArgumentError } from "commander";
import type { ServerContext } from "../context.js";
import {
  type ConnectorKeyContext,
  type ConnectorKeysDescription,
  type ConnectorKeyUse,
  describeConnectorKeys,
} from "../connectors/vault/describe-keys.js";
import { type RewrapPosition, rewrapBatch } from "../connectors/vault/rewrap-keys.js";

type WithContext = (work: (context: ServerContext) => Promise<void>) => Promise<void>;

export interface ConnectorKeysCommandOptions {
  /** Opens the installation for reading and closes it afterwards. */
  readonly withReader: WithContext;
  /** Opens the installation for one command and closes it afterwards. */
  readonly withInstallation: WithContext;
  readonly print: (text: string) => void;
  readonly exitWith: (code: number) => void;
}

const defaultBatch = 200;
const maxBatch = 5_000;
/** A process that still seals with another key could keep this busy for ever. */
const maxRuns = 5;

/** Creates `authz-server connector-keys`, with which an operator looks after the keys of connectors. */
export function createConnectorKeysCommand(options: ConnectorKeysCommandOptions): Command {
  const { withReader, withInstallation, print, exitWith } = options;
  const keys = new Command("connector-keys").description(
    "show the keys that seal connections, and replace them",
  );

  keys
    .command("status")
    .description("show which key has sealed how much: exit code 1 when something cannot be read")
    .option("--json", "print JSON")
    .action((given: { json?: true }) =>
      withReader(async (context) => {
        const described = await describeConnectorKeys(context);
        print(given.json ? `${JSON.stringify(described, null, 2)}\n` : formatStatus(described));
        if (!isHealthy(described)) exitWith(1);
      }),
    );

  keys
    .command("rewrap")
    .description("seal every data key with the active key: exit code 1 when something is left")
    .option("--batch <n>", `rows in one transaction, 1 to ${maxBatch}`, toBatch, defaultBatch)
    .action(({ batch }: { batch: number }) =>
      withInstallation(async (context) => {
        const { activeKeyId, left } = await rewrapAll({ limit: batch, print }, context);
        if (left.length === 0) {
          print(
            `Everything is sealed with ${activeKeyId}. Other keys can be removed once "status" says the same.\n`,
          );
          return;
        }
        print(left.map((line) => `${line}\n`).join(""));
        exitWith(1);
      }),
    );

  return keys;
}

/** Runs over the rows until nothing is replaced any more: those that changed meanwhile come again. */
async function rewrapAll(
  { limit, print }: { readonly limit: number; readonly print: (text: string) => void },
  context: ServerContext,
): Promise<{ readonly activeKeyId: string; readonly left: readonly string[] }> {
  let unreadable: readonly string[] = [];
  let replaced = 0;
  let runs = 0;
  do {
    // oxlint-disable-next-line no-await-in-loop -- one run after the other
    ({ unreadable, replaced } = await rewrapOnce({ limit, print }, context));
    runs += 1;
  } while (replaced > 0 && runs < maxRuns);
  const { activeKeyId, keys } = await describeConnectorKeys(context);
  const others = keys.filter(({ active }) => !active);
  const left = others.map(
    (use) => `${formatUse(use)}: ${use.readable ? "left" : "this key is not configured"}`,
  );
  const damaged = unreadable.map((row) => `${row} does not open: it has to be entered or connected again`);
  return { activeKeyId: activeKeyId ?? "", left: [...left, ...damaged] };
}

async function rewrapOnce(
  { limit, print }: { readonly limit: number; readonly print: (text: string) => void },
  context: ConnectorKeyContext & Pick<ServerContext, "clock">,
): Promise<{ readonly unreadable: readonly string[]; readonly replaced: number }> {
  const unreadable: string[] = [];
  let replaced = 0;
  let from: RewrapPosition | undefined = { table: "connectors", after: undefined };
  while (from !== undefined) {
    const batch = { limit, from, actor: { type: "operator" }, at: new Date(context.clock()) } as const;
    // oxlint-disable-next-line no-await-in-loop -- one batch after the other
    const result = await rewrapBatch(batch, context);
    if (result.rewrapped > 0) print(`${result.rewrapped} ${from.table} sealed again.\n`);
    unreadable.push(...result.unreadable);
    replaced += result.rewrapped;
    from = result.next;
  }
  return { unreadable, replaced };
}

function isHealthy({ state, keys }: ConnectorKeysDescription): boolean {
  const isUsed = keys.length > 0;
  return (
    (state === "ready" || (state === "not_configured" && !isUsed)) && keys.every(({ readable }) => readable)
  );
}

function formatStatus({ state, problem, keys }: ConnectorKeysDescription): string {
  const lines = [`State: ${state}${problem === null ? "" : `. ${problem}`}`];
  for (const use of keys) {
    const role = use.active
      ? "active"
      : use.readable
        ? "only opens"
        : "NOT CONFIGURED: nothing of this opens";
    lines.push(`${formatUse(use)}, ${role}`);
  }
  return `${lines.join("\n")}\n`;
}

function formatUse({ keyId, connectors, connections }: ConnectorKeyUse): string {
  return `${keyId}: ${connectors} connectors, ${connections} connections`;
}

function toBatch(text: string): number {
  const batch = Number(text);
  if (!/^\d{1,4}$/.test(text) || batch < 1 || batch > maxBatch) {
    throw new InvalidArgumentError(`It is not a whole number from 1 to ${maxBatch}.`);
  }
  return batch;
}
