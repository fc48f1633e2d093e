import { decodeExactly, parseBoolean, type VariableDocument, variables } from "./variables.js";
import { isLoopbackHost } from "../platform/outbound/addresses.js";
import type { TokenSource, TransitConfig } from "../platform/vault/transit-client.js";
import type { EnvironmentKeys } from "../platform/vault/environment-keys.js";

/** The variables read here, for the reference. */
export const connectorKeyVariables: readonly VariableDocument[] = [
  {
    name: "AUTHZ_CONNECTOR_KEK",
    meaning:
      "Encrypts the secrets of connectors. Not checked at startup: an installation without connectors needs none.",
    expected: "32 random bytes as standard base64",
    usual: "none",
  },
  {
    name: "AUTHZ_CONNECTOR_KEK_PREVIOUS",
    meaning:
      "Keys that were replaced and still decrypt: see [encryption keys](../operate/encryption-keys.md).",
    expected: "keys, separated by commas",
    usual: "none",
  },
  {
    name: "AUTHZ_CONNECTOR_VAULT_ADDR",
    meaning: "The key of connectors is in the transit engine of this Vault or OpenBao.",
    expected: "an HTTPS URL",
    usual: "none",
  },
  {
    name: "AUTHZ_CONNECTOR_VAULT_TOKEN",
    meaning:
      "The token for it. As `AUTHZ_CONNECTOR_VAULT_TOKEN_FILE` it is read again when Vault refuses it.",
    expected: "a token of Vault",
    usual: "none",
  },
  {
    name: "AUTHZ_CONNECTOR_VAULT_KEY",
    meaning: "The name of the key in the transit engine.",
    expected: "a name",
    usual: "none",
  },
  {
    name: "AUTHZ_CONNECTOR_VAULT_MOUNT",
    meaning: "Where the transit engine is mounted.",
    expected: "a path",
    usual: "`transit`",
  },
  {
    name: "AUTHZ_CONNECTOR_VAULT_NAMESPACE",
    meaning: "The namespace of Vault Enterprise.",
    expected: "a name",
    usual: "none",
  },
  {
    name: "AUTHZ_CONNECTOR_VAULT_READ_ONLY",
    meaning: "Vault only decrypts from now on: for moving away from it.",
    expected: '"true" or "false"',
    usual: "`false`",
  },
];

/** The keys of connectors, as far as they can be read. Nothing here stops a start. */
export interface ConnectorKeyConfig {
  readonly environment: EnvironmentKeys;
  readonly transit: TransitConfig | undefined;
  /** Where new secrets are sealed; the other keys only open. */
  readonly sealedBy: "environment" | "transit";
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
  /** The path that `NAME_FILE` names; throws an `Error` when the variable is set as well. */
  readonly file: (name: string) => string | undefined;
}

/** Reads the variables about the keys of connectors. Never throws: problems are reported when a key is needed. */
export function readConnectorKeys(
  source: KeyVariables,
  { allowInsecureLoopback }: { readonly allowInsecureLoopback: boolean },
): ConnectorKeyConfig {
  const environment = createReader(source);
  const active = environment.read("AUTHZ_CONNECTOR_KEK", parseKey);
  const previous = environment.read("AUTHZ_CONNECTOR_KEK_PREVIOUS", parseKeys) ?? [];
  const vault = createReader(source);
  const transit = readTransit(vault, allowInsecureLoopback);
  const onlyOpens = vault.read("AUTHZ_CONNECTOR_VAULT_READ_ONLY", parseBoolean) ?? false;

  const vaultSeals = (transit !== undefined || vault.problems.length > 0) && !onlyOpens;
  const isAboutActive = ({ variable }: KeyVariableProblem) =>
    vaultSeals ? vault.names.has(variable) : variable === "AUTHZ_CONNECTOR_KEK";
  const problems = [...environment.problems, ...vault.problems];
  return Object.freeze({
    environment: Object.freeze({ active, previous: Object.freeze(previous) }),
    transit: vault.problems.length === 0 ? transit : undefined,
    sealedBy: vaultSeals ? "transit" : "environment",
    activeProblems: Object.freeze(problems.filter(isAboutActive)),
    otherProblems: Object.freeze(problems.filter((problem) => !isAboutActive(problem))),
  });
}

type Reader = ReturnType<typeof createReader>;

/** Reads variables and collects their problems. */
function createReader({ text, file }: KeyVariables) {
  const problems: KeyVariableProblem[] = [];
  const names = new Set<string>();
  const attempt = <T>(name: string, work: () => T): T | undefined => {
    names.add(name);
    try {
      return work();
    } catch (error) {
      problems.push({ variable: name, problem: (error as Error).message });
      return undefined;
    }
  };
  return {
    problems,
    names,
    read: <T>(name: string, parse: (value: string) => T): T | undefined =>
      attempt(name, () => {
        const value = text(name);
        return value === undefined ? undefined : parse(value);
      }),
    /** The file is read when the token is needed: an agent may write it after the start. */
    readToken: (name: string): TokenSource | undefined =>
      attempt(name, () => {
        const path = file(name);
        if (path !== undefined) return { file: path };
        const value = text(name);
        return value === undefined ? undefined : { text: parseHeader(value) };
      }),
  };
}

function readTransit(
  { read, readToken, problems }: Reader,
  allowInsecureLoopback: boolean,
): TransitConfig | undefined {
  const address = read("AUTHZ_CONNECTOR_VAULT_ADDR", (text) => parseAddress(text, allowInsecureLoopback));
  const token = readToken("AUTHZ_CONNECTOR_VAULT_TOKEN");
  const key = read("AUTHZ_CONNECTOR_VAULT_KEY", parseKeyName);
  const mount = read("AUTHZ_CONNECTOR_VAULT_MOUNT", parseMount) ?? "transit";
  const namespace = read("AUTHZ_CONNECTOR_VAULT_NAMESPACE", parseHeader);
  if (address !== undefined && token !== undefined && key !== undefined) {
    return Object.freeze({ address, token, mount, key, namespace });
  }
  const known = new Set(problems.map(({ variable }) => variable));
  const wanted = known.size > 0 || (address ?? token ?? key) !== undefined;
  for (const [name, value] of Object.entries({ ADDR: address, TOKEN: token, KEY: key })) {
    const variable = `AUTHZ_CONNECTOR_VAULT_${name}`;
    if (!wanted || value !== undefined || known.has(variable)) continue;
    problems.push({ variable, problem: "missing, but other variables name a Vault" });
  }
  return undefined;
}

function parseKey(text: string): Buffer {
  try {
    return decodeExactly(text, "base64");
  } catch (error) {
    const { expected } = variables.credentialEncryptionKey;
    throw new Error(`${(error as Error).message}. Expected: ${expected}`, { cause: error });
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
