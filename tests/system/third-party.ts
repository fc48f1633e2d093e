import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { registrationProgram, serverEnvironment } from "../../packages/dev/src/parts.js";
import { Client } from "pg";
import { startDevNotes } from "../../examples/dev-notes/src/index.js";
import { notesConnector } from "../../tools/src/development/registry.js";
import { loadSecrets } from "../../tools/src/development/secrets.js";
import { originOf, type Settings } from "../../tools/src/development/settings.js";
import { type Place, runScript } from "./whole-system.js";

const CLIENT_SECRET = "only for this test";

/** A third party in this process, so that every token it issues is known here. */
export interface ThirdParty {
  /** The address of its notes. */
  readonly api: string;
  /** Every token that it has issued, the newest last. */
  readonly tokens: readonly string[];
  /** Asks the provider itself (RFC 7662). */
  isActive(token: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Starts it, and has the connector `notes` lead there instead of to the one that `npm start` started. */
export async function startThirdParty(place: Place): Promise<ThirdParty> {
  const tokens: string[] = [];
  const redirectUri = `${originOf(place.settings, "server")}/connections/callback/notes`;
  const notes = await startDevNotes({
    clients: [{ clientId: "authz", clientSecret: CLIENT_SECRET, redirectUris: [redirectUri] }],
    onToken: (token) => tokens.push(token),
  });
  await register(place, { connectors: [notesConnector(notes.issuer, CLIENT_SECRET)] });
  return {
    api: `${notes.issuer}/api/notes`,
    tokens,
    async isActive(token) {
      const credentials = Buffer.from(`authz:${encodeURIComponent(CLIENT_SECRET)}`).toString("base64");
      const answer = await fetch(`${notes.issuer}/token/introspection`, {
        method: "POST",
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ token }),
      });
      return ((await answer.json()) as { active: boolean }).active;
    },
    stop: () => notes.close(),
  };
}

/** Everything that the system has written down: the rows of its database that have to do with connections, and its logs. */
export async function readEverything({ settings }: Place): Promise<string> {
  const client = new Client({ connectionString: await databaseUrl(settings) });
  await client.connect();
  try {
    const tables = ["connectors", "connections", "connection_attempts", "forwarded_calls", "audit_events"];
    const rows: unknown[] = [];
    for (const table of tables) {
      rows.push((await client.query(`SELECT * FROM ${table}`)).rows);
    }
    const logs = join(settings.stateDirectory, "logs");
    return [
      JSON.stringify(rows),
      ...readdirSync(logs).map((file) => readFileSync(join(logs, file), "utf8")),
    ].join();
  } finally {
    await client.end();
  }
}

/** The events about connections, in their order. */
export async function connectionEvents({
  settings,
}: Place): Promise<readonly { type: string; data: object }[]> {
  const client = new Client({ connectionString: await databaseUrl(settings) });
  await client.connect();
  try {
    const { rows } = await client.query<{ type: string; data: object }>(
      "SELECT type, data FROM audit_events WHERE type LIKE 'connection.%' ORDER BY id",
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function register(place: Place, registry: object): Promise<void> {
  const { settings } = place;
  const file = join(settings.stateDirectory, "third-party.json");
  writeFileSync(file, JSON.stringify(registry), { mode: 0o600 });
  const env = serverEnvironment(
    settings,
    await loadSecrets(settings.stateDirectory),
    await databaseUrl(settings),
  );
  const { command, env: programEnv } = registrationProgram(env, file);
  const [program = "", ...args] = command;
  const { code, stdout, stderr } = await runScript({ ...place, env: programEnv }, program, ...args).ended;
  if (code !== 0) throw new Error(`The registration failed.\n${stdout}\n${stderr}`);
}

async function databaseUrl(settings: Settings): Promise<string> {
  const { databasePassword } = await loadSecrets(settings.stateDirectory);
  return `postgres://authz:${databasePassword}@127.0.0.1:${settings.ports.postgres}/authz`;
}
