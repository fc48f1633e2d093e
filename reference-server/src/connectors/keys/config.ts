import { base64Secret } from "../../config-variables.js";
import { isLoopbackHost } from "../../outbound/addresses.js";
import type { EnvironmentKeys } from "./environment-keys.js";

/** The transit engine of Vault or OpenBao. */
export interface TransitConfig {
  /** Without a slash at the end. */
  readonly address: string;
  readonly token: TokenSource;
  readonly mount: string;
  readonly key: string;
  readonly namespace: string | undefined;
}

/** An agent may write the token into a file, and write a new one there before the old one is over. */
export type TokenSource = { readonly text: string } | { readonly file: string };

/** The keys of connectors, as far as they can be read. Nothing here stops a start. */
export interface ConnectorKeyConfig {
  readonly environment: EnvironmentKeys;
  readonly transit: TransitConfig | undefined;
  /** Nothing can be sealed because of these: they are about the key that is to be active. */
  readonly activeProblems: readonly KeyVariableProblem[];
  /** Some stored secrets may not open because of these. */
  readonly otherProblems: readonly KeyVariableProblem[];
}

/** Never carries the value. */
export interface KeyVariableProblem {
  readonly variable: string;
  readonly problem: string;
}

export interface KeyVariables {
  /** The text of a variable or of the file that it names; throws an `Error` when that cannot be read. */
  readonly text: (name: string) => string | undefined;
  /** The path that `NAME_FILE` names. */
  readonly file: (name: string) => string | undefined;
}

/** Reads the variables about the keys of connectors. Never throws: what is wrong is said when a key is needed. */
export function readConnectorKeys(
  { text, file }: KeyVariables,
  { allowInsecureLoopback }: { readonly allowInsecureLoopback: boolean },
): ConnectorKeyConfig {
  const problems: KeyVariableProblem[] = [];
  const read = <T>(name: string, parse: (value: string) => T): T | undefined => {
    try {
      const value = text(name);
      return value === undefined ? undefined : parse(value);
    } catch (error) {
      problems.push({ variable: name, problem: (error as Error).message });
      return undefined;
    }
  };
  const missing = (variable: string) =>
    problems.push({ variable, problem: "missing, but other variables name a Vault" });

  const active = read("AUTHZ_CONNECTOR_KEK", parseKey);
  const previous = read("AUTHZ_CONNECTOR_KEK_PREVIOUS", parseKeys) ?? [];
  const environmentProblems = problems.splice(0);

  const address = read("AUTHZ_CONNECTOR_VAULT_ADDR", (value) => parseAddress(value, allowInsecureLoopback));
  const key = read("AUTHZ_CONNECTOR_VAULT_KEY", parseKeyName);
  const mount = read("AUTHZ_CONNECTOR_VAULT_MOUNT", parseMount) ?? "transit";
  const namespace = read("AUTHZ_CONNECTOR_VAULT_NAMESPACE", parseHeader);
  const tokenFile = file("AUTHZ_CONNECTOR_VAULT_TOKEN");
  // A file is read when it is needed: an agent may write it only after the start.
  const tokenText = tokenFile === undefined ? read("AUTHZ_CONNECTOR_VAULT_TOKEN", parseHeader) : undefined;
  const wanted = [address, key, tokenFile, tokenText].some((value) => value !== undefined);
  const named = new Set(problems.map(({ variable }) => variable));
  if (wanted || named.size > 0) {
    const present = { ADDR: address, KEY: key, TOKEN: tokenFile ?? tokenText };
    for (const [name, value] of Object.entries(present)) {
      const variable = `AUTHZ_CONNECTOR_VAULT_${name}`;
      if (value === undefined && !named.has(variable)) missing(variable);
    }
  }

  const token = tokenFile === undefined ? tokenText && { text: tokenText } : { file: tokenFile };
  const complete = problems.length === 0 && address !== undefined && key !== undefined && token;
  const vaultWanted = wanted || problems.length > 0;
  return Object.freeze({
    environment: Object.freeze({ active, previous: Object.freeze(previous) }),
    transit: complete ? Object.freeze({ address, token, mount, key, namespace }) : undefined,
    activeProblems: Object.freeze(vaultWanted ? problems : environmentProblems.filter(isAboutActive)),
    otherProblems: Object.freeze(
      vaultWanted ? environmentProblems : environmentProblems.filter((problem) => !isAboutActive(problem)),
    ),
  });
}

function isAboutActive({ variable }: KeyVariableProblem): boolean {
  return variable === "AUTHZ_CONNECTOR_KEK";
}

function parseKey(text: string): Buffer {
  try {
    return base64Secret.parse(text);
  } catch (error) {
    throw new Error(`${(error as Error).message}. Expected: ${base64Secret.expected}`, { cause: error });
  }
}

function parseKeys(text: string): readonly Buffer[] {
  return text.split(",").map((part) => parseKey(part.trim()));
}

function parseAddress(text: string, allowInsecureLoopback: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error("not a URL");
  const isLoopback = url.protocol === "http:" && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !(isLoopback && allowInsecureLoopback)) {
    throw new Error(
      "not an https: URL. The token goes there with every call; plain http works only on loopback, with " +
        "AUTHZ_ALLOW_INSECURE_LOOPBACK=true",
    );
  }
  if (url.username !== "" || url.password !== "") throw new Error("contains credentials");
  if (url.search !== "" || url.hash !== "") throw new Error("contains a query or fragment");
  return url.href.replace(/\/+$/, "");
}

function parseKeyName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text)) {
    throw new Error("not the name of a transit key: letters, digits, dots, dashes and underscores");
  }
  return text;
}

function parseMount(text: string): string {
  const path = text.replace(/^\/|\/$/g, "");
  if (!/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/.test(path) || path.length > 128) {
    throw new Error("not the path of a mount, such as transit or security/transit");
  }
  return path;
}

function parseHeader(text: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(text))
    throw new Error("contains a space or another character that a header cannot have");
  return text;
}
