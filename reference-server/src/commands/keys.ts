import { Command } from "commander";
import type { CommandHost } from "./command-host.js";
import type { SigningKeyRecord } from "../store/signing-keys.js";
import { activatableFrom, activateKey, retireKey, scheduleKey, stageKey } from "../oauth/keys/rotate-keys.js";

/** Creates `authz-server keys`, with which an operator rotates the signing keys. */
export function createKeysCommand({
  withInstallation,
  print,
}: Pick<CommandHost, "withInstallation" | "print">): Command {
  const keys = new Command("keys").description("list and rotate the signing keys");
  const json = ["--json", "print JSON"] as const;

  keys
    .command("list")
    .description("show every key with its state and its dates")
    .option(...json)
    .action((options: { json?: true }) =>
      withInstallation(async ({ store, clock }) => {
        const records = await store.signingKeys.list({ limit: 100 });
        const shown = records.map((key) => describeKey(key, new Date(clock())));
        print(options.json ? `${JSON.stringify(shown, null, 2)}\n` : formatTable(shown));
      }),
    );

  keys
    .command("stage")
    .description("generate a key and publish it; it signs nothing until it is activated")
    .option("--activate", "activate it automatically as soon as every service knows it", false)
    .option(...json)
    .action((options: { activate: boolean; json?: true }) =>
      withInstallation(async ({ store, credentials, clock }) => {
        const at = new Date(clock());
        const key = await stageKey({ store, credentials, at });
        const { kid } = key;
        const from = activatableFrom(key).toISOString();
        if (options.activate) await scheduleKey({ kid, activatesAt: "when_ready" }, { store, at });
        const next = options.activate
          ? `A server activates it from ${from} on.`
          : `Activate it from ${from} on: authz-server keys activate ${kid}`;
        print(
          options.json
            ? `${JSON.stringify({ kid, activatableFrom: from })}\n`
            : `${kid} is staged.\n${next}\n`,
        );
      }),
    );

  keys
    .command("activate")
    .description("let a staged key sign, and retire the one before it")
    .argument("<kid>", "a key from the list")
    .option("--emergency", "do not wait; some assertions may be refused for some minutes", false)
    .action((kid: string, { emergency }: { emergency: boolean }) =>
      withInstallation(async ({ store, clock }) => {
        const { retired, publishedUntil } = await activateKey(
          { kid, emergency },
          { store, at: new Date(clock()) },
        );
        const before =
          retired === null ? "" : `${retired} stays in the key set until ${publishedUntil.toISOString()}.\n`;
        print(`${kid} signs from now on.\n${before}`);
      }),
    );

  keys
    .command("retire")
    .description("withdraw a staged key")
    .argument("<kid>", "a key from the list")
    .option(
      "--emergency",
      "also take a retired key out of the key set before what it signed has expired",
      false,
    )
    .action((kid: string, { emergency }: { emergency: boolean }) =>
      withInstallation(async ({ store, clock }) => {
        await retireKey({ kid, emergency }, { store, at: new Date(clock()) });
        print(`${kid} is retired and leaves the key set now. Services follow within ten minutes.\n`);
      }),
    );

  return keys;
}

/** A key as an operator sees it. */
interface ShownKey {
  readonly kid: string;
  readonly state: SigningKeyRecord["state"];
  readonly source: SigningKeyRecord["source"];
  readonly inKeySet: boolean;
  readonly stagedAt: Date;
  readonly activatableFrom: Date | null;
  readonly activatesAt: Date | null;
  readonly activatedAt: Date | null;
  readonly retiredAt: Date | null;
  readonly publishedUntil: Date | null;
}

function describeKey(key: SigningKeyRecord, now: Date): ShownKey {
  const { kid, state, source, stagedAt, activatesAt = null, activatedAt, retiredAt, publishedUntil } = key;
  return {
    kid,
    state,
    source,
    inKeySet: publishedUntil === null || publishedUntil > now,
    stagedAt,
    activatableFrom: state === "staged" ? activatableFrom(key) : null,
    activatesAt,
    activatedAt,
    retiredAt,
    publishedUntil,
  };
}

function formatTable(keys: readonly ShownKey[]): string {
  const width = Math.max(...keys.map(({ kid }) => kid.length));
  return keys.map((key) => `${key.kid.padEnd(width)}  ${key.state.padEnd(7)}  ${explain(key)}\n`).join("");
}

function explain(key: ShownKey): string {
  const origin = key.source === "environment" ? ", from the environment" : "";
  if (key.activatesAt !== null) return `signs by itself from ${key.activatesAt.toISOString()} on${origin}`;
  if (key.state === "staged") return `may sign from ${key.activatableFrom?.toISOString() ?? ""} on${origin}`;
  if (key.state === "active") return `signing since ${key.activatedAt?.toISOString() ?? ""}${origin}`;
  const until = key.publishedUntil?.toISOString() ?? "";
  return key.inKeySet ? `in the key set until ${until}${origin}` : `left the key set at ${until}${origin}`;
}
