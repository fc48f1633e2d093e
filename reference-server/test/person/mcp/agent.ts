import { randomUUID } from "node:crypto";
import { type Client, registeredClient } from "../../../src/store/clients.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { saveKeptClient } from "../../support/kept-client.js";
import { RawDevice } from "../../support/raw-device.js";
import { createBrowser } from "../../support/device.js";

/** An agent host that no administrator registered; it can use a key, and need not. */
export const host: Client = {
  ...registeredClient,
  id: "https://host.example/client.json",
  name: "Host",
  type: "public",
  redirectUris: ["http://127.0.0.1/callback"],
  keys: [],
  dpopBound: false,
  source: "metadata_document",
  builtIn: false,
  enabled: true,
};

/** A message as one of the protocol's own revisions wants it. */
export type Message = Readonly<Record<string, unknown>>;

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The one JSON-RPC message of the answer, however it came; the error of a refusal. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Every message that came before. */
  readonly before: readonly Readonly<Record<string, unknown>>[];
}

/** An agent at the address of a server, signed in as somebody. */
export interface Agent {
  readonly device: RawDevice;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Where the token counts. */
  readonly url: string;
  /** Sends one message; `origin` is another process. */
  send(
    message: Message,
    init?: { headers?: Record<string, string>; origin?: string; signal?: AbortSignal },
  ): Promise<McpAnswer>;
  /** Calls a tool in the revision of 2025-11-25 and returns its result. */
  call(name: string, args?: object, init?: { origin?: string }): Promise<ToolResult>;
}

interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export async function allow({ server }: OauthServer, person: string, scope: string): Promise<void> {
  const assignment = { id: randomUUID(), email: `${person}@acme.example`, scope };
  await server.context.store.assignments.insertMissing(assignment, new Date());
}

/** Gives somebody the permission to use agents, and signs them in with the host, as a browser would. */
export async function signInAgent(system: OauthServer, person = "ada"): Promise<Agent> {
  await saveKeptClient(system.server.context.store, host);
  await allow(system, person, "authz:agents");
  const device = await RawDevice.create(system.issuer);
  const url = `${system.issuer}/mcp`;
  const redirectUri = "http://127.0.0.1:8765/callback";
  const wish = {
    client_id: host.id,
    redirect_uri: redirectUri,
    resource: url,
    scope: "authz:agents",
    dpop_jkt: undefined,
  };
  const code = await device.authorize(wish, createBrowser(), person);
  const form = {
    ...device.codeParameters(code),
    client_id: host.id,
    redirect_uri: redirectUri,
    resource: url,
  };
  const { status, body } = await device.token(form, { proofs: [] });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { access_token: accessToken = "", refresh_token: refreshToken = "" } = body;

  const agent: Agent = {
    device,
    accessToken,
    refreshToken,
    url,
    async send(message, { headers = {}, origin = system.issuer, signal } = {}) {
      const response = await fetch(`${origin}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${accessToken}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
          ...headers,
        },
        body: JSON.stringify(message),
        ...(signal !== undefined && { signal }),
      });
      return await readAnswer(response);
    },
    async call(name, args = {}, init = {}) {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const { body: answer } = await agent.send(message, init);
      const result = answer["result"] as
        | { content: readonly { text: string }[]; isError?: boolean }
        | undefined;
      if (result === undefined) throw new Error(JSON.stringify(answer));
      return { text: result.content[0]?.text ?? "", isError: result.isError === true };
    },
  };
  return agent;
}

/** Reads an answer: one JSON text, or a stream of events of which the last is it. */
export async function readAnswer(response: Response): Promise<McpAnswer> {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const messages = (isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data ?? "") : [text])
    .filter((each) => each !== "")
    .map((each) => JSON.parse(each) as Readonly<Record<string, unknown>>);
  const { status, headers } = response;
  return { status, headers, body: messages.at(-1) ?? {}, before: messages.slice(0, -1) };
}
