import { AuthzClientError } from "@authz/client";
import { adviceOn, isExpected } from "../../messages/advice.js";
import type { CliError } from "../../messages/cli-error.js";
import { EXIT } from "../../exit-code.js";
import { cleanLine } from "../../output/clean-text.js";
import { framedSkill } from "../../output/frame.js";
import { openClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  RpcError,
  serveJsonRpc,
} from "./json-rpc.js";
import { toolHint } from "./tool-hint.js";
import { TOOLS } from "./tools.js";

const VERSIONS: readonly string[] = ["2025-06-18", "2025-03-26", "2024-11-05"];
const SKILL_ADDRESS = "authz-skill:///";
const RESOURCE_NOT_FOUND = -32_002;

/**
 * Serves skills and requests over the Model Context Protocol on standard input and output, until the input ends.
 *
 * It starts without a session too: the first call says what to do, which an agent can pass on.
 */
export async function mcp(context: CommandContext): Promise<number> {
  const { stdin: input, stdout: output } = context.surroundings;
  await serveJsonRpc({ input, output }, async (method, params) => {
    try {
      return await handle(context, method, params);
    } catch (error) {
      if (!isExpected(error)) throw error;
      throw new RpcError(INTERNAL_ERROR, wordsOf(context, error));
    }
  });
  return EXIT.ok;
}

async function handle(
  context: CommandContext,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: VERSIONS.find((version) => version === params.protocolVersion) ?? VERSIONS[0],
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "authz", version: context.surroundings.version() },
        instructions:
          "Find a skill, read it, then make the request it describes. Third parties (GitHub, Google, …) are called through a connection: list_connections says which there are. If a permission or a connection is missing, say which one.",
      };
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: TOOLS.map(({ name, title, description, inputSchema, annotations }) => ({
          name,
          title,
          description,
          inputSchema,
          annotations,
        })),
      };
    case "tools/call":
      return await callTool(context, params);
    case "resources/list":
      return { resources: await listSkills(context) };
    case "resources/templates/list":
      return { resourceTemplates: [] };
    case "resources/read":
      return { contents: [await readSkill(context, params.uri)] };
    default:
      throw new RpcError(METHOD_NOT_FOUND, `There is no method "${method}".`);
  }
}

/** A failure of a tool is a result: the model is to read it. */
async function callTool(context: CommandContext, params: Readonly<Record<string, unknown>>): Promise<object> {
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `There is no tool "${String(params.name)}".`);
  try {
    const { client } = await openClient(context.surroundings, context.profile);
    const text = await tool.call(client, isObject(params.arguments) ? params.arguments : {}, context);
    return { content: [{ type: "text", text }] };
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { content: [{ type: "text", text: wordsOf(context, error) }], isError: true };
  }
}

/** What went wrong and what to do next, for the model to pass on. */
function wordsOf({ invocation }: CommandContext, error: AuthzClientError | CliError): string {
  return cleanLine(`${error.code}: ${error.message} ${toolHint(adviceOn(error), invocation)}`);
}

async function listSkills({ surroundings, profile }: CommandContext): Promise<object[]> {
  const { client } = await openClient(surroundings, profile);
  return (await client.skills()).map(({ id, title, description }) => ({
    uri: `${SKILL_ADDRESS}${id}`,
    name: id,
    title: cleanLine(title),
    ...(description === undefined ? {} : { description: cleanLine(description) }),
    mimeType: "text/markdown",
  }));
}

async function readSkill({ surroundings, profile }: CommandContext, uri: unknown): Promise<object> {
  if (typeof uri !== "string" || !uri.startsWith(SKILL_ADDRESS))
    throw new RpcError(RESOURCE_NOT_FOUND, "Resources of authz begin with authz-skill:///");
  const { client } = await openClient(surroundings, profile);
  const skill = await client.skill(uri.slice(SKILL_ADDRESS.length)).catch((error: unknown) => {
    throw error instanceof AuthzClientError ? new RpcError(RESOURCE_NOT_FOUND, error.message) : error;
  });
  return { uri, mimeType: "text/markdown", text: framedSkill(skill) };
}
