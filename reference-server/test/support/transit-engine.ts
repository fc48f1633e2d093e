import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The transit engine of Vault and OpenBao, as far as this server uses it, on a port of its own. */
export interface TransitEngine {
  readonly address: string;
  /** What it was asked, `POST /v1/transit/encrypt/authz`, with its headers. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** Tokens that are let in. */
  readonly tokens: Set<string>;
  /** Adds a version of the key; new data is encrypted with it. */
  rotate(): void;
  /** Versions below are refused. */
  minDecryptionVersion: number;
  sealed: boolean;
  /** Takes requests and answers none. */
  silent: boolean;
  /** Answers with this instead of itself. */
  instead: { status: number; body: string; headers?: Record<string, string> } | undefined;
  close(): Promise<void>;
}

interface Asked {
  readonly plaintext?: string;
  readonly ciphertext?: string;
  readonly associated_data?: string;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function startTransitEngine({
  key = "authz",
  mount = "transit",
  token = "s.first",
} = {}): Promise<TransitEngine> {
  const versions = [randomBytes(32)];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const engine: TransitEngine = {
    address: `http://127.0.0.1:${port}`,
    requests: [],
    tokens: new Set([token]),
    rotate: () => void versions.push(randomBytes(32)),
    minDecryptionVersion: 1,
    sealed: false,
    silent: false,
    instead: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    engine.requests.push({ path: `${request.method} ${request.url}`, headers: request.headers });
    if (engine.silent) return;
    if (engine.instead !== undefined) {
      const { status, body, headers } = engine.instead;
      response.writeHead(status, headers).end(body);
      return;
    }
    let status = 200;
    let body: object;
    try {
      body = { request_id: "r", lease_id: "", renewable: false, lease_duration: 0, data: await act(request) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      status = error.status;
      body = { errors: error.message === "" ? [] : [error.message] };
    }
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }

  async function act(request: IncomingMessage): Promise<object> {
    if (engine.sealed) throw new Refusal(503, "Vault is sealed");
    if (!engine.tokens.has(String(request.headers["x-vault-token"])))
      throw new Refusal(403, "permission denied");
    const path = /^\/v1\/(.+)\/(encrypt|decrypt)\/([^/]+)$/.exec(request.url ?? "");
    if (path?.[1] !== mount)
      throw new Refusal(404, `no handler for route "${request.url}". route entry not found.`);
    if (path[3] !== key) throw new Refusal(400, "encryption key not found");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    return path[2] === "encrypt" ? encrypt(asked) : decrypt(asked);
  }

  function encrypt({ plaintext = "", associated_data: data = "" }: Asked): object {
    const cipherKey = versions.at(-1) ?? randomBytes(32);
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce).setAAD(Buffer.from(data, "base64"));
    const sealed = Buffer.concat([cipher.update(Buffer.from(plaintext, "base64")), cipher.final()]);
    const bytes = Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
    return {
      ciphertext: `vault:v${versions.length}:${bytes.toString("base64")}`,
      key_version: versions.length,
    };
  }

  function decrypt({ ciphertext = "", associated_data: data = "" }: Asked): object {
    const [, digits = "", text = ""] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
    const version = Number(digits);
    const cipherKey = versions[version - 1];
    if (text === "") throw new Refusal(400, "invalid ciphertext: no prefix");
    if (version < engine.minDecryptionVersion) {
      throw new Refusal(400, "ciphertext or signature version is disallowed by policy (too old)");
    }
    if (cipherKey === undefined) throw new Refusal(400, "invalid ciphertext: version is too new");
    try {
      const bytes = Buffer.from(text, "base64");
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, bytes.subarray(0, 12));
      decipher.setAAD(Buffer.from(data, "base64")).setAuthTag(bytes.subarray(-16));
      const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      return { plaintext: opened.toString("base64") };
    } catch {
      throw new Refusal(400, "cipher: message authentication failed");
    }
  }

  return engine;
}
