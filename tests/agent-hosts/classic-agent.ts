import {
  auth,
  extractWWWAuthenticateParams,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { AgentHost } from "../../tools/src/agent-host/host.js";
import { readAnswer, readTool, type TestAgent, type ToolText } from "./test-agent.js";

/** A host built on the SDK before the present one, which many hosts still use. */
export async function connectClassicAgent(
  host: AgentHost,
  url: URL,
  network: typeof fetch = fetch,
): Promise<TestAgent> {
  let challengedScope: string | undefined;
  const prepare = () => ({
    client: new Client({ name: "classic-agent", version: "1.0.0" }),
    transport: new StreamableHTTPClientTransport(url, {
      authProvider: host.provider,
      fetch: async (input, init) => {
        const response = await network(input, init);
        if (response.status === 403) challengedScope = extractWWWAuthenticateParams(response).scope;
        return response;
      },
    }),
  });
  let { client, transport } = prepare();
  const finish = () => transport.finishAuth(host.takeAnswer().get("code") ?? "");
  try {
    await client.connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await finish();
    ({ client, transport } = prepare());
    await client.connect(transport);
  }

  /** This SDK answers a demand for more scopes by refreshing, which cannot give more: so its hosts forget the tokens. */
  async function askForMore(scope: string): Promise<void> {
    host.provider.invalidateCredentials("tokens");
    await auth(host.provider, { serverUrl: url, scope });
    await auth(host.provider, {
      serverUrl: url,
      authorizationCode: host.takeAnswer().get("code") ?? "",
    });
  }

  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input) => readAnswer(await callTool(name, input)),
    callTool: async (name, input): Promise<ToolText> => readTool(await callTool(name, input)),
    close: () => client.close(),
  };

  async function callTool(name: string, input: Record<string, unknown> = {}): Promise<unknown> {
    const call = async () => await client.callTool({ name, arguments: input });
    try {
      return await call();
    } catch (error) {
      if (error instanceof UnauthorizedError) await finish();
      else if (error instanceof StreamableHTTPError && error.code === 403 && challengedScope !== undefined)
        await askForMore(challengedScope);
      else throw error;
      host.provider.requireGranted();
      return await call();
    }
  }
}
