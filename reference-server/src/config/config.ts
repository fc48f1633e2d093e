import { readFileSync } from "node:fs";
import type { PrivateJwk, PublicJwk } from "@authz/dpop";
import { readTracingConfig, type TracingConfig } from "../platform/tracing/config.js";
import { type ConnectorKeyConfig, readConnectorKeys } from "./connector-keys.js";
import { findLikelySlip, findMisspelledVariables, type MisspelledVariable } from "./misspelled-variables.js";
import { type Before, type Values, type Variable, variables } from "./variables.js";

/** The ES256 key that the environment brings. */
export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: PrivateJwk;
  readonly publicJwk: PublicJwk;
}

/** How many connections to the database a process makes at most, and how long it waits for it. */
type DatabaseLimits = Pick<Values, "poolSize" | "connectSeconds" | "statementSeconds">;

/** Everything the server knows from its environment. Frozen; nothing else reads `process.env`. */
export interface Config
  extends Omit<Values, keyof DatabaseLimits | "signingKid" | "signingPrivateJwk" | "signingPublicJwk"> {
  readonly databaseLimits: DatabaseLimits;
  readonly signingKey: SigningKey;
  /** Keys that seal the secrets of connectors. Their problems are reported when a key is needed. */
  readonly connectorKeys: ConnectorKeyConfig;
  /** Where traces go; `undefined` unless the variables of OpenTelemetry ask for traces. */
  readonly tracing: TracingConfig | undefined;
  /** Variables that are not read, but almost have the name of one that is. */
  readonly misspelledVariables: readonly MisspelledVariable[];
}

/** One variable that is missing or malformed. Never carries the value. */
export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
}

/** The environment is not usable; the message names every offending variable at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ variable, problem }) => `  ${variable}: ${problem}`);
    const count = problems.length === 1 ? "one variable is" : `${problems.length} variables are`;
    super(`The configuration is not usable: ${count} missing or malformed.\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the file that a `NAME_FILE` variable points to. */
export type ReadSecretFile = (path: string) => string;

/**
 * Builds the configuration from environment variables.
 *
 * Each variable `NAME` can also be given as `NAME_FILE`, the path of a file that holds the value.
 *
 * @throws {ConfigError} At least one variable is missing or malformed.
 */
export function loadConfig(environment: Environment, readSecretFile: ReadSecretFile = readText): Config {
  const problems: ConfigProblem[] = [];
  const known = new Set<string>();
  const text = (name: string): string | undefined => {
    known.add(name);
    return textOf(name, environment, readSecretFile);
  };
  const read = <T>(variable: ReadableVariable<T>, before: Before): T | undefined => {
    const { name, expected, parse, fallback } = variable;
    try {
      const given = text(name);
      if (given !== undefined) return parse(given, before);
      if (fallback !== undefined) return fallback(before);
      problems.push({ variable: name, problem: `missing. Expected: ${expected}` });
    } catch (error) {
      problems.push({ variable: name, problem: `${(error as Error).message}. Expected: ${expected}` });
    }
    return undefined;
  };

  const values: Partial<Record<keyof Values, unknown>> = {};
  for (const [member, variable] of Object.entries<Variable<unknown>>(variables)) {
    values[member as keyof Values] = read(variable, values as Before);
  }
  const { allowInsecureLoopback = false } = values as Partial<Values>;
  const connectorKeys = readConnectorKeys(
    {
      text,
      file(name) {
        known.add(name);
        const path = environment[`${name}_FILE`] || undefined;
        if (path !== undefined && environment[name]) throw setTwice(name);
        return path;
      },
    },
    { allowInsecureLoopback },
  );
  const tracing = readTracingConfig((name, variable) =>
    read({ name, ...variable, fallback: () => variable.fallback }, {}),
  );
  if (problems.length > 0)
    throw new ConfigError(problems.map((problem) => nameSlip(problem, environment, known)));

  const { poolSize, connectSeconds, statementSeconds, ...others } = values as Values;
  const { signingKid: kid, signingPrivateJwk: privateJwk, signingPublicJwk: publicJwk, ...rest } = others;
  return Object.freeze({
    ...rest,
    databaseLimits: Object.freeze({ poolSize, connectSeconds, statementSeconds }),
    signingKey: Object.freeze({ kid, privateJwk, publicJwk }),
    connectorKeys,
    tracing,
    misspelledVariables: findMisspelledVariables(Object.keys(environment), known),
  });
}

type ReadableVariable<T> = Pick<Variable<T>, "name" | "expected" | "parse" | "fallback">;

/** A variable that is missing may be there, under almost the right name. */
function nameSlip(
  { variable, problem }: ConfigProblem,
  environment: Environment,
  known: ReadonlySet<string>,
): ConfigProblem {
  const given = problem.startsWith("missing.")
    ? findLikelySlip(variable, Object.keys(environment), known)
    : undefined;
  return {
    variable,
    problem: given === undefined ? problem : `${problem} ${given} is set: did you mean ${variable}?`,
  };
}

/** What `authz-migrate` needs: the address of the database only. */
export function loadPostgresUrl(environment: Environment): string {
  const { name, expected, parse } = variables.postgresUrl;
  try {
    const text = textOf(name, environment, readText);
    if (text !== undefined) return parse(text, {});
  } catch (error) {
    const problem = `${(error as Error).message}. Expected: ${expected}`;
    throw new ConfigError([{ variable: name, problem }]);
  }
  const missing = { variable: name, problem: `missing. Expected: ${expected}` };
  throw new ConfigError([nameSlip(missing, environment, new Set([name]))]);
}

function textOf(name: string, environment: Environment, readSecretFile: ReadSecretFile): string | undefined {
  const direct = environment[name];
  const path = environment[`${name}_FILE`];
  if (path === undefined || path === "") return direct === "" ? undefined : direct;
  if (direct !== undefined && direct !== "") throw setTwice(name);
  let text: string;
  try {
    text = readSecretFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new Error(`the file named by ${name}_FILE cannot be read (${code})`, { cause: error });
  }
  text = text.replace(/\r?\n$/, "");
  if (text === "") throw new Error(`the file named by ${name}_FILE is empty`);
  return text;
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}

function setTwice(name: string): Error {
  return new Error(`set twice, as ${name} and as ${name}_FILE`);
}
