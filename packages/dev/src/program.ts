import { readFileSync } from "node:fs";
import { Command } from "commander";
import { startSystem } from "./commands/start.js";
import {
  type PlaceOptions,
  readInherited,
  readStateDirectory,
  readSystemSettings,
  usualPorts,
} from "./config.js";
import { parsePeople } from "./people.js";
import { ReadableError, reportFailure } from "./readable-error.js";
import { registerService } from "./register/register-service.js";
import { registrationText } from "./summary.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

interface StartFlags extends PlaceOptions {
  readonly fresh?: true;
}

interface RegisterFlags {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly to?: readonly string[];
  readonly clientId: string;
  readonly folder: string;
}

/** Everything that can be typed behind `authz-dev`. */
export function createDevProgram(): Command {
  const program = new Command("authz-dev")
    .description(
      "Starts an authorization server, its PostgreSQL and an identity provider with three people on this computer.",
    )
    .version(version, "-V, --version", "print the version")
    .enablePositionalOptions()
    .argument("[nothing]")
    .usage("[options] | register <url>")
    .option("--folder <folder>", "the project that the system belongs to", ".")
    .option("--fresh", "delete everything from earlier starts")
    .option("--port <port>", "of the authorization server", usualPorts.port)
    .option("--idp-port <port>", "of the identity provider", usualPorts.idpPort)
    .option("--postgres-port <port>", "of PostgreSQL", usualPorts.postgresPort)
    .action((word: string | undefined, flags: StartFlags) => {
      if (word !== undefined) {
        program.error(`error: unknown command '${word}'. Available: register.`);
      }
      return reporting(() =>
        startSystem({
          settings: readSystemSettings(flags),
          folder: flags.folder,
          fresh: flags.fresh === true,
        }),
      );
    });
  program
    .command("register")
    .description("register a running service from its own metadata, and let people use it")
    .argument("<url>", "any URL of the service; a path is the one to call in what is printed")
    .option("--name <name>", "what people call it (default: its resource_name)")
    .option("--scope <scope...>", "what people get (default: every scope of the service)")
    .option("--to <person...>", "who gets it: ada, bruno, clara (default: everybody)")
    .option("--client-id <id>", "clientId in the service's initAuthz", "authz-cli")
    .option("--folder <folder>", "the project whose system is running", ".")
    .action((url: string, flags: RegisterFlags) => reporting(() => register(url, flags)));
  return program;
}

async function register(url: string, flags: RegisterFlags): Promise<void> {
  const address = parseAddress(url);
  const registration = await registerService({
    address,
    stateDirectory: readStateDirectory(flags.folder),
    name: flags.name,
    scopes: flags.scope,
    people: flags.to && parsePeople(flags.to),
    clientId: flags.clientId,
    inherited: readInherited(),
  });
  process.stdout.write(registrationText(registration, address));
}

function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new ReadableError(
      `${text} is not the address of a service.\nWrite it as a URL, such as http://127.0.0.1:4000`,
    );
  }
  return url;
}

/** Prints a failure, and sets the exit code 1. */
async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    reportFailure(error);
  }
}
