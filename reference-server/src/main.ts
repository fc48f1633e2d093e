import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import closeWithGrace from "close-with-grace";
import { Command } from "commander";
import type { Logger } from "pino";
import { RegistryError } from "./apply/registry-error.js";
import { createAuditCommand } from "./audit/command.js";
import { type Config, ConfigError, loadConfig, loadPostgresUrl } from "./config.js";
import { createConnectorKeysCommand } from "./connectors/keys/command.js";
import { ConnectorKeyError } from "./connectors/keys/key-ring.js";
import { generateSecrets } from "./credentials/generate-secrets.js";
import type { ServerContext } from "./context.js";
import { createLog } from "./http/log.js";
import { initialise } from "./initialise.js";
import { InstallFileError } from "./install/install-file-error.js";
import { createKeysCommand } from "./keys/command.js";
import { SigningKeyError } from "./keys/signing-key-error.js";
import { applyMigrations, readMigrationStatus } from "./migrate/apply-migrations.js";
import { MigrationError } from "./migrate/migration-error.js";
import { resolveRolledBack } from "./migrate/resolve.js";
import { createExplainCommand } from "./policy/command.js";
import { ExplainError } from "./policy/explain.js";
import { DatabaseUnavailableError } from "./store/store.js";
import { serverVersion } from "./http/server-version.js";

/** SIGTERM to exit: the container platforms' usual ten seconds, less a little to be first. */
const closeMilliseconds = 9_000;

/** The `authz-server` command. */
export async function runServerCommand(argv: readonly string[]): Promise<void> {
  const program = new Command("authz-server")
    .description(
      "The Authz authorization server. Without a subcommand it starts, configured by the environment.",
    )
    .version(serverVersion, "-V, --version", "print the version")
    .allowExcessArguments()
    .action(() => {
      refuseUnknownCommand(program);
      return start(loadConfig(process.env));
    });
  program
    .command("secrets")
    .description("print every variable with fresh secrets, for an .env file")
    .action(async () => void process.stdout.write(await generateSecrets()));
  program
    .command("apply")
    .description(
      "bring providers, groups, scopes, resources, connectors, skills and assignments to what a file says",
    )
    .requiredOption("--file <file>", "registry file, YAML or JSON")
    .action(({ file }: { file: string }) => apply(file, loadConfig(process.env)));
  program
    .command("install")
    .description("set up an installation without a browser: provider, first administrator, name")
    .requiredOption("--file <file>", "installation file, YAML or JSON")
    .action(({ file }: { file: string }) => installFrom(file, loadConfig(process.env)));
  const installation = (work: (context: ServerContext) => Promise<void>) =>
    withInstallation(loadConfig(process.env), work);
  program.addCommand(createKeysCommand(installation, print));
  const reader = (work: (context: ServerContext) => Promise<void>) =>
    withReader(loadConfig(process.env), work);
  const readerAndInstallation = { withReader: reader, withInstallation: installation };
  program.addCommand(createConnectorKeysCommand({ ...readerAndInstallation, print, exitWith }));
  program.addCommand(createExplainCommand(reader, print));
  program.addCommand(createAuditCommand(reader, { print, printLines, exitWith }));
  await run(program, argv);
}

/** The `authz-migrate` command. */
export async function runMigrateCommand(argv: readonly string[]): Promise<void> {
  const program = new Command("authz-migrate")
    .description(
      "Applies pending migrations to the database in POSTGRES_URL. The server does the same at start.",
    )
    .allowExcessArguments()
    .action(async () => {
      refuseUnknownCommand(program);
      await applyMigrations({ postgresUrl: loadPostgresUrl(process.env), log: createLog("info") });
    });
  program
    .command("status")
    .description("list every migration and its state")
    .action(async () => {
      const migrations = await readMigrationStatus(loadPostgresUrl(process.env));
      for (const { name, state } of migrations) process.stdout.write(`${state.padEnd(8)}  ${name}\n`);
    });
  program
    .command("resolve")
    .description("mark a failed migration as rolled back, so that the next start tries it again")
    .requiredOption("--rolled-back <name>", "the migration that P3018 and P3009 name")
    .action(({ rolledBack }: { rolledBack: string }) => resolve(rolledBack, loadPostgresUrl(process.env)));
  await run(program, argv);
}

/** The program itself takes no arguments: a word that is no command is a slip, and must not start anything. */
function refuseUnknownCommand(program: Command): void {
  const [word] = program.args;
  if (word === undefined) return;
  const names = program.commands.map((command) => command.name()).join(", ");
  program.error(`error: unknown command '${word}'. There are: ${names}.`);
}

async function run(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    report(error);
    process.exitCode = 1;
  }
}

async function start(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
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
  const server = await createServer(config, { log });
  const grace = closeWithGrace({ delay: closeMilliseconds, logger: log }, async ({ signal, err }) => {
    if (err)
      log.fatal({ code: "UNHANDLED_ERROR", err }, "The server stops after an error that nothing handled.");
    else log.info({ signal }, "The server stops: running requests end first.");
    await server.drain();
    await server.close();
  });
  try {
    await server.openManagementPort();
    await migrate(config, log);
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

async function migrate(config: Config, log: Logger): Promise<void> {
  await applyMigrations({ postgresUrl: config.postgresUrl, log });
}

async function installFrom(path: string, config: Config): Promise<void> {
  const { allowInsecureLoopback } = config;
  const [{ readInstallFile }, { install }] = await Promise.all([
    import("./install/install-file.js"),
    import("./install/install.js"),
  ]);
  const installation = await readInstallFile(path, { allowInsecureLoopback });
  await withInstallation(config, async ({ store, credentials, clock }) => {
    const { administratorEmail: email } = installation;
    if (await install(installation, { store, credentials, at: new Date(clock()) })) {
      print(`Installed. ${email} is the administrator and signs in at ${config.issuer}/\n`);
    } else {
      print("It is installed already. Nothing was changed; use the console or authz-server apply.\n");
    }
  });
}

async function apply(path: string, config: Config): Promise<void> {
  const { allowInsecureLoopback, issuer } = config;
  const [{ parseRegistryFile }, { applyRegistry }] = await Promise.all([
    import("./apply/registry-file.js"),
    import("./apply/apply-registry.js"),
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
  await migrate(config, log);
  const { createServer } = await loadServer();
  const { context, close } = await createServer(config, { log });
  try {
    await initialise(context);
    await work(context);
  } finally {
    await close();
  }
}

/** Reads from the database as it is: whoever examines it does not want it changed. */
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
    await work(context);
  } finally {
    await close();
  }
}

function exitWith(code: number): void {
  process.exitCode = code;
}

/** As fast as the reader reads; a reader that has seen enough ends it. */
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

/** What an operator reads: the known failures as text, anything else with its stack. */
function report(error: unknown): void {
  if (isOperatorError(error)) process.stderr.write(`${error.message}\n`);
  else logFailure(createLog("info"), error);
}

const operatorErrors = [
  ConfigError,
  RegistryError,
  InstallFileError,
  SigningKeyError,
  ConnectorKeyError,
  ExplainError,
];

/** The text says all there is to know. */
function isOperatorError(error: unknown): error is Error {
  return operatorErrors.some((kind) => error instanceof kind);
}

function logFailure(log: Logger, error: unknown): void {
  if (error instanceof MigrationError) {
    const { code, message, remedy, migration } = error;
    log.fatal({ code, migration, remedy }, `${code}: ${message} ${remedy}`);
  } else if (error instanceof DatabaseUnavailableError) {
    log.fatal({ code: "P1001", err: error.cause }, "P1001: The database was lost during the start.");
  } else {
    log.fatal({ code: "START_FAILED", err: error }, "The server cannot start.");
  }
}
