import { randomBytes, randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { sealTokens } from "../../../src/connectors/refresh/stored-tokens.js";
import type { Connection } from "../../../src/store/connections.js";
import type { ConnectorFields } from "../../../src/store/connectors.js";
import { ApiClient } from "../../support/api-client.js";
import { testConnector } from "../../support/connectors.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

/** What came in at the API, with its body as far as it came. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  bytes: number;
  /** The body was read to its end. */
  complete: boolean;
}

/** A small API that answers as the test says, and keeps account of every byte of a request that reaches it. */
export interface RecordingApi {
  readonly origin: string;
  readonly seen: SeenRequest[];
  /** Connections that were opened to it. */
  connections: number;
  /** Answers a request once its body is read, unless `streams` is set. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called as soon as the headers are there; then nobody else reads the body. */
  streams: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Forgets what it saw, and answers "ok" again. */
  readonly forget: () => void;
  close(): Promise<void>;
}

const ok = (_request: IncomingMessage, response: ServerResponse) => void response.end("ok");

export async function startRecordingApi(): Promise<RecordingApi> {
  const sockets = new Set<Socket>();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers, rawHeaders } = request;
    const entry: SeenRequest = { method, url, headers, rawHeaders, bytes: 0, complete: false };
    seen.push(entry);
    request.on("error", () => undefined);
    if (api.streams !== undefined) return api.streams(request, response);
    request.on("data", (chunk: Buffer) => {
      entry.bytes += chunk.length;
    });
    return void request.once("end", () => {
      entry.complete = true;
      api.answer(request, response);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    api.connections += 1;
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api: RecordingApi = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    connections: 0,
    answer: ok,
    streams: undefined,
    forget() {
      seen.length = 0;
      api.connections = 0;
      api.answer = ok;
      api.streams = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return api;
}

export interface ForwardedRequest {
  readonly method?: string;
  readonly key?: string;
  /** Below the API, or a whole address. */
  readonly target?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | Readable;
  /** Instead of what a good client sends. */
  readonly credentials?: OutgoingHttpHeaders;
  readonly signal?: AbortSignal;
}

export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: IncomingMessage;
}

/** A server with a connector, Ada's connection, her client, and the API behind it all. */
export interface Forwarding {
  readonly system: OauthServer;
  readonly api: RecordingApi;
  readonly token: string;
  readonly userId: string;
  readonly connector: ConnectorFields;
  /** Stores a connector, like the first one but for the changes, and Ada's connection to it. */
  connect(
    changes?: Partial<ConnectorFields>,
  ): Promise<{ connector: ConnectorFields; connection: Connection }>;
  /** Stores the first connector as it was. */
  readonly restore: (changes?: Partial<ConnectorFields>) => Promise<void>;
  /** Sends a request as Ada's client; the body of the answer is not read yet. */
  readonly open: (request?: ForwardedRequest) => Promise<ForwardedAnswer>;
  /** The same, and reads the body. */
  readonly send: (
    request?: ForwardedRequest,
  ) => Promise<Omit<ForwardedAnswer, "body"> & { readonly body: string }>;
  readonly credentials: (method: string, key: string) => OutgoingHttpHeaders;
  readonly close: () => Promise<void>;
}

export async function startForwarding(variables: Readonly<Record<string, string>> = {}): Promise<Forwarding> {
  const [system, api] = await Promise.all([
    startOauthServer({ AUTHZ_CONNECTOR_KEK: randomBytes(32).toString("base64"), ...variables }),
    startRecordingApi(),
  ]);
  const { store, connectorVault: vault } = system.server.context;
  const client = await ApiClient.signIn(system.issuer);
  const [user] = await system.database.query<{ id: string }>(
    "SELECT id FROM users WHERE email = 'ada@acme.example'",
  );
  const userId = user?.id ?? "";
  const token = `theirs.${randomBytes(24).toString("base64url")}/+=`;
  const connector = testConnector({
    key: "notes",
    requestPrefixes: [`${api.origin}/v1`],
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    requestHeaders: ["x-two", "x-hop", "x-canary"],
    pathTemplates: ["/v1/notes/{note}"],
  });

  async function connect(changes: Partial<ConnectorFields> = {}) {
    const now = new Date();
    const fields = { ...connector, id: randomUUID(), key: `c-${randomUUID()}`, ...changes };
    await store.connectors.save(fields, now);
    const row = { id: randomUUID(), connectorId: fields.id, userId };
    const connection = await store.connections.save({
      ...row,
      account: { subject: "ada-elsewhere", label: "ada@private.example" },
      credentials: await sealTokens(
        { accessToken: token, refreshToken: "refresh-token" },
        { connection: row, connector: fields, vault },
      ),
      grantedScopes: ["notes.read"],
      accessExpiresAt: null,
      refreshable: true,
      now,
    });
    if (connection === undefined) throw new Error("the connection was not stored");
    return { connector: fields, connection };
  }
  await connect(connector);

  const credentials = (method: string, key: string): OutgoingHttpHeaders =>
    client.credentials(method, `/api/me/connections/${key}/requests`);

  function open(request: ForwardedRequest = {}): Promise<ForwardedAnswer> {
    const {
      method = "GET",
      key = connector.key,
      target = "/v1/notes/1",
      headers = {},
      body,
      signal,
    } = request;
    return new Promise((resolve, reject) => {
      const sent = httpRequest(`${system.issuer}/api/me/connections/${key}/requests`, {
        method,
        agent: false,
        headers: {
          "authz-target": target.startsWith("/") ? `${api.origin}${target}` : target,
          ...(request.credentials ?? credentials(method, key)),
          ...headers,
        },
        ...(signal !== undefined && { signal }),
      });
      sent.once("response", (answer) =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          rawHeaders: answer.rawHeaders,
          body: answer,
        }),
      );
      sent.once("error", reject);
      if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) sent.end(body);
      else body.on("error", () => sent.destroy()).pipe(sent);
    });
  }

  return {
    system,
    api,
    token,
    userId,
    connector,
    connect,
    credentials,
    open,
    restore: (changes = {}) => store.connectors.save({ ...connector, ...changes }, new Date()),
    async send(request) {
      const { body, ...answer } = await open(request);
      return { ...answer, body: await text(body) };
    },
    async close() {
      await system.close();
      await api.close();
    },
  };
}
