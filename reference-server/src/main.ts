import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import closeWithGrace from "close-with-grace";
import { Argument, Command, Option } from "commander";
import { RegistryError } from "./registry/apply/registry-error.js";
import { createAuditCommand } from "./commands/audit.js";
import { type Config, loadConfig, loadPostgresUrl } from "./config/config.js";
import type { CommandHost } from "./commands/command-host.js";
import { createEncryptionKeysCommand } from "./commands/encryption-keys.js";
import { generateSecrets, type SecretFormat, secretFormats } from "./commands/generate-secrets.js";
import type { ServerContext } from "./context.js";
import { forgetOwnVariables, hardenProcess } from "./harden-process.js";
import { createLog } from "./platform/http/log.js";
import { createLogOutput } from "./platform/http/log-output.js";
import { initialise } from "./upkeep/start/initialise.js";
import { createKeysCommand } from "./commands/keys.js";
import { applyMigrations, readMigrationStatus, resolveRolledBack } from "./store/migrate/apply-migrations.js";
import { MigrationError } from "./store/migrate/migration-error.js";
import { createAfterRestoreCommand } from "./commands/after-restore.js";
import { createExplainCommand } from "./commands/explain.js";
import { prepareDatabase, requireOwnDatabase } from "./upkeep/start/prepare-database.js";
import { type CheckedVariable, checkedVariables } from "./upkeep/start/secret-checks.js";
import { logFailure, reportFailure } from "./report-failure.js";
import { serverVersion } from "./platform/http/server-version.js";

/** SIGTERM to exit: the container platforms' usual ten seconds, less a little to be first. */
const closeMilliseconds = 9_000;

/** The `authz-server` command. */
export async function runServerCommand(argv: readonly string[]): Promise<void> {
  hardenProcess();
  await run(createServerProgram(), argv);
}

/** Everything that can be typed behind `authz-server`. */
export function createServerProgram(): Command {
  const program = new Command("authz-server")
    .description(
      "The Authz authorization server. Without a subcommand it starts, configured by the environment.",
    )
    .version(serverVersion, "-V, --version", "print the version")
    .allowExcessArguments()
    .action(() => {
      refuseUnknownCommand(program);
      return start(readConfig());
    });
  program
    .command("secrets")
    .description("print every variable with fresh secrets, for an .env file or as a Kubernetes Secret")
    .addOption(new Option("--format <format>", "what to print").choices(secretFormats).default("env"))
    .action(async ({ format }: { format: SecretFormat }) => {
      process.stdout.write(await generateSecrets(format));
    });
  program
    .command("apply")
    .description("make providers, groups, scopes, resources, connectors, skills and assignments match a file")
    .requiredOption("--file <file>", "registry file, YAML or JSON")
    .action(({ file }: { file: string }) => apply(file, readConfig()));
  program
    .command("install")
    .description("set up an installation without a browser: provider, first administrator, name")
    .requiredOption("--file <file>", "installation file, YAML or JSON")
    .action(({ file }: { file: string }) => installFrom(file, readConfig()));
  const host: CommandHost = {
    withInstallation: (work) => withInstallation(readConfig(), work),
    withReader: (work) => withReader(readConfig(), work),
    print,
    printLines,
    exitWith,
  };
  program.addCommand(createKeysCommand(host));
  program.addCommand(createAfterRestoreCommand(host));
  program
    .command("accept")
    .description("let servers start with another AUTHZ_ISSUER or AUTH_SESSION_SECRET than before")
    .addArgument(new Argument("<variable>", "the one that was replaced").choices(checkedVariables))
    .action(async (variable: CheckedVariable) => {
      await prepareWith(readConfig(), variable);
      print(`${variable} is accepted. Servers with another value no longer start.\n`);
    });
  program.addCommand(createEncryptionKeysCommand(host));
  program.addCommand(createExplainCommand(host));
  program.addCommand(createAuditCommand(host));
  return program;
}

/** The `authz-migrate` command. */
export async function runMigrateCommand(argv: readonly string[]): Promise<void> {
  hardenProcess();
  await run(createMigrateProgram(), argv);
}

/** Everything that can be typed behind `authz-migrate`. */
export function createMigrateProgram(): Command {
  const program = new Command("authz-migrate")
    .description(
      "Applies pending migrations to the database in POSTGRES_URL. The server does the same at start.",
    )
    .allowExcessArguments()
    .action(async () => {
      refuseUnknownCommand(program);
      await applyMigrations({ postgresUrl: readPostgresUrl(), log: createLog("info") });
    });
  program
    .command("status")
    .description("list every migration and its state")
    .action(async () => {
      const migrations = await readMigrationStatus(readPostgresUrl());
      for (const { name, state } of migrations) process.stdout.write(`${state.padEnd(8)}  ${name}\n`);
    });
  program
    .command("resolve")
    .description("mark a failed migration as rolled back, so that the next start tries it again")
    .requiredOption("--rolled-back <name>", "the migration that P3018 and P3009 name")
    .action(({ rolledBack }: { rolledBack: string }) => resolve(rolledBack, readPostgresUrl()));
  return program;
}

function readConfig(): Config {
  const config = loadConfig(process.env);
  forgetOwnVariables(process.env);
  return config;
}

function readPostgresUrl(): string {
  const postgresUrl = loadPostgresUrl(process.env);
  forgetOwnVariables(process.env);
  return postgresUrl;
}

/** The program takes no arguments; a mistyped command must not start the server. */
function refuseUnknownCommand(program: Command): void {
  const [word] = program.args;
  if (word === undefined) return;
  const names = program.commands.map((command) => command.name()).join(", ");
  program.error(`error: unknown command '${word}'. Available: ${names}.`);
}

async function run(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    reportFailure(error);
    process.exitCode = 1;
  }
}

async function start(config: Config): Promise<void> {
  const output = createLogOutput();
  const log = createLog(config.logLevel, output);
  for (const { variable, meant } of config.misspelledVariables) {
    const message = `Nothing reads the variable ${variable}. Did you mean ${meant}?`;
    log.warn({ code: "VARIABLE_UNKNOWN", variable }, message);
  }
  const { activeProblems, otherProblems } = config.connectorKeys;
  for (const { variable, problem } of [...activeProblems, ...otherProblems]) {
    const message = `${variable} cannot be used: ${problem}. The server starts; connectors say so when they need the key.`;
    log.warn({ code: "CONNECTOR_KEY_UNUSABLE", variable }, message);
  }
  const { createServer } = await loadServer();
  const server = await createServer(config, { log, droppedLogLines: output.dropped });
  const grace = closeWithGrace({ delay: closeMilliseconds, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ code: "UNHANDLED_ERROR", err }, "The server stops after an unhandled error.");
    else log.info({ signal }, "The server is stopping; running requests finish first.");
    // After an unhandled error no state can be trusted, so no more requests are answered.
    if (!err) await server.drain();
    await server.close();
  });
  try {
    await server.openManagementPort();
    await prepareDatabase(server.context, log);
    const address = await server.start();
    log.info({ address, issuer: config.issuer }, "The server is listening.");
  } catch (error) {
    grace.uninstall();
    await server.close();
    logFailure(log, error);
    process.exitCode = 1;
  }
}

/** Loaded by the commands that need it: the others start in half the time. */
async function loadServer() {
  const [{ createServer }, { refreshCatalogs }] = await Promise.all([
    import("./server.js"),
    import("./skills/refresh-catalogs.js"),
  ]);
  return { createServer, refreshCatalogs };
}

async function installFrom(path: string, config: Config): Promise<void> {
  const { allowInsecureLoopback } = config;
  const [{ readInstallFile }, { install }] = await Promise.all([
    import("./set-up/install-file.js"),
    import("./set-up/store-installation.js"),
  ]);
  const installation = await readInstallFile(path, { allowInsecureLoopback });
  await withInstallation(config, async ({ store, credentials, clock }) => {
    const { administratorEmail: email } = installation;
    if (await install(installation, { store, credentials, at: new Date(clock()) })) {
      print(`Installed. ${email} is the administrator and signs in at ${config.issuer}/\n`);
    } else {
      print("It is already installed. Nothing was changed; use the console or authz-server apply.\n");
    }
  });
}

async function apply(path: string, config: Config): Promise<void> {
  const { allowInsecureLoopback, issuer } = config;
  const [{ parseRegistryFile }, { applyRegistry }] = await Promise.all([
    import("./registry/apply/registry-file.js"),
    import("./registry/apply/apply-registry.js"),
  ]);
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new RegistryError([`${path} cannot be read (${error.code ?? "unknown"})`]);
  });
  const file = parseRegistryFile(content, { allowInsecureLoopback, issuer });
  await withInstallation(config, async (context) => {
    const at = new Date(context.clock());
    const { store, credentials, connectorVault } = context;
    const changes = await applyRegistry(file, { store, credentials, connectorVault, at });
    for (const { type, data } of changes) print(`${type} ${JSON.stringify(data)}\n`);
    print(changes.length === 0 ? "Nothing to change.\n" : `${changes.length} changes applied.\n`);
    const { refreshCatalogs } = await loadServer();
    await refreshCatalogs(context, at);
  });
}

/** Brings the database up to date and does some work on it, without opening a port. */
async function withInstallation(
  config: Config,
  work: (context: ServerContext) => Promise<void>,
): Promise<void> {
  const log = createLog("warn");
  const { createServer } = await loadServer();
  const { context, close, readDatabaseTime } = await createServer(config, { log });
  try {
    await prepareDatabase(context, log);
    await readDatabaseTime();
    await initialise(context);
    await work(context);
  } finally {
    await close();
  }
}

/** Opens the database for reading, and changes nothing. */
async function withReader(config: Config, work: (context: ServerContext) => Promise<void>): Promise<void> {
  const migrations = await readMigrationStatus(config.postgresUrl);
  const pending = migrations.filter(({ state }) => state !== "applied").map(({ name }) => name);
  if (pending.length > 0) {
    const cause = `The database lacks ${pending.join(", ")}.`;
    throw new MigrationError("AUTHZ_SCHEMA_OLDER", { cause, remedy: 'Run "authz-migrate" first.' });
  }
  const { createServer } = await loadServer();
  const { context, close } = await createServer(config, { log: createLog("warn") });
  try {
    await requireOwnDatabase(context);
    await work(context);
  } finally {
    await close();
  }
}

/** Does what a start does to the database, with a variable that was replaced on purpose. */
async function prepareWith(config: Config, replaced: CheckedVariable): Promise<void> {
  const log = createLog("warn");
  const { createServer } = await loadServer();
  const { context, close } = await createServer(config, { log });
  try {
    await prepareDatabase(context, log, replaced);
  } finally {
    await close();
  }
}

function exitWith(code: number): void {
  process.exitCode = code;
}

/** Writes as fast as the reader reads; a reader that closes the pipe ends it. */
async function printLines(lines: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(lines), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

async function resolve(name: string, postgresUrl: string): Promise<void> {
  if (await resolveRolledBack(postgresUrl, name)) {
    process.stdout.write(`${name} is marked as rolled back. The next start tries it again.\n`);
    return;
  }
  process.stderr.write(
    `There is no failed attempt of ${name}. "authz-migrate status" lists what there is.\n`,
  );
  process.exitCode = 1;
}
