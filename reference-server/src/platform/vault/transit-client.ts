import { VaultError } from "./key-ring.js";

/** The transit engine of Vault or OpenBao. */
export interface TransitConfig {
  /** Without a slash at the end. */
  readonly address: string;
  readonly token: TokenSource;
  readonly mount: string;
  readonly key: string;
  readonly namespace: string | undefined;
}

/** An agent may write the token into a file, and replace it before it expires. */
export type TokenSource = { readonly text: string } | { readonly file: string };

export interface TransitClientOptions {
  readonly readToken: (path: string) => Promise<string>;
  readonly fetch?: typeof fetch;
  readonly timeoutSeconds?: number;
}

/** One operation of the transit engine: sent with the token, and once more with a newer token after a 403. */
export type CallTransit = (
  operation: "encrypt" | "decrypt",
  body: object,
) => Promise<Record<string, unknown>>;

/** The engine's answers are small; anything larger is not one. */
const maxAnswerBytes = 65_536;

/** @throws {VaultError} from the call: `unavailable`, or `unreadable` when a decryption is refused with 400 */
export function createTransitClient(config: TransitConfig, options: TransitClientOptions): CallTransit {
  const { address, token, mount, key, namespace } = config;
  const { readToken, fetch: send = fetch, timeoutSeconds = 5 } = options;
  let known: string | undefined = "text" in token ? token.text : undefined;

  const loadToken = async (): Promise<string> => {
    if ("text" in token) return token.text;
    try {
      const text = (await readToken(token.file)).trim();
      if (!/^[\x21-\x7e]{1,4096}$/.test(text)) throw new Error("the file holds no token");
      known = text;
      return text;
    } catch (cause) {
      const message =
        "The token for Vault cannot be read from the file that AUTHZ_CONNECTOR_VAULT_TOKEN_FILE names.";
      throw new VaultError("unavailable", message, { cause });
    }
  };

  const post = async (operation: string, body: object, vaultToken: string): Promise<Answer> => {
    try {
      const response = await send(`${address}/v1/${mount}/${operation}/${key}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Vault-Token": vaultToken,
          "X-Vault-Request": "true",
          ...(namespace !== undefined && { "X-Vault-Namespace": namespace }),
        },
        body: JSON.stringify(body),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      return { status: response.status, body: await readAnswer(response) };
    } catch (cause) {
      const isLate = (cause as Error).name === "TimeoutError";
      const what = isLate ? `did not answer within ${timeoutSeconds} seconds` : "cannot be reached";
      const message = `Vault at ${address} ${what}. Check AUTHZ_CONNECTOR_VAULT_ADDR, the network and its certificate.`;
      throw new VaultError("unavailable", message, { cause });
    }
  };

  return async (operation, body) => {
    const used = known ?? (await loadToken());
    let answer = await post(operation, body, used);
    if (answer.status === 403 && "file" in token) {
      const fresh = await loadToken();
      if (fresh !== used) answer = await post(operation, body, fresh);
    }
    const data = answer.status === 200 ? dataOf(answer.body) : undefined;
    if (data !== undefined) return data;
    throw refusal(answer, { operation, place: `${address}, ${mount}/${operation}/${key}` });
  };
}

interface Answer {
  readonly status: number;
  /** `undefined`: not JSON. */
  readonly body: unknown;
}

async function readAnswer(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function dataOf(body: unknown): Record<string, unknown> | undefined {
  const { data } = (body ?? {}) as { readonly data?: unknown };
  return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : undefined;
}

/** Vault's own errors are the cause: they belong into the log, and not to every reader of the message. */
function refusal(
  { status, body }: Answer,
  { operation, place }: { readonly operation: string; readonly place: string },
): VaultError {
  const { errors } = (body ?? {}) as { readonly errors?: unknown };
  const answered = Array.isArray(errors) ? errors.join("; ").slice(0, 500) : "nothing that can be read";
  const cause = new Error(`Vault answered ${status}: ${answered}`);
  if (operation === "decrypt" && status === 400) {
    const message =
      `Vault does not open a data key (${place}): it was altered or copied from another row, or its version is below ` +
      "min_decryption_version.";
    return new VaultError("unreadable", message, { cause });
  }
  return new VaultError("unavailable", `Vault at ${place} answered ${status}: ${remedyFor(status)}`, {
    cause,
  });
}

function remedyFor(status: number): string {
  if (status === 403) return "the token has expired, or its policy does not allow this.";
  if (status === 400 || status === 404) return "check that the mount and the key exist, and the key's type.";
  if (status === 503) return "it is sealed or starting. Unseal it.";
  if (status >= 300 && status < 400) return "it points somewhere else. Give the address of the active node.";
  return "try again, and check its log.";
}
