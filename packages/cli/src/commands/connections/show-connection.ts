import { type Connection, type OfferedScope, reconnectReason } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import type { Fact } from "../../output/output.js";
import { quoted } from "@authz/skills/invisible";
import { openClient } from "../../profile/open-client.js";
import type { CommandContext } from "../command.js";
import { connectStep, exampleStep, isAllowed } from "./connection-words.js";

/** Shows one connection: its state, and what can be called through it. */
export async function showConnection(
  { runtime, output, profile, offer }: CommandContext,
  name: string,
): Promise<number> {
  const { client } = await openClient(runtime, profile);
  const connection = await client.connections.get(name);
  if (output.json) {
    output.data(connection);
    return exitCodes.ok;
  }
  output.facts(factsOf(connection));
  output.note(output.quiet(nextStep(connection, offer)));
  return exitCodes.ok;
}

function factsOf(connection: Connection): readonly Fact[] {
  const { connector, name, grantedScopes, offeredScopes, requestPrefixes, methods } = connection;
  const { requiredScopes, missingScopes, connectedAt, lastUsedAt } = connection;
  const { label } = connection.account;
  const isLinked = connection.state === "connected" || connection.state === "reconnect_required";
  const granted = grantedScopes.map(
    (scope) => offeredScopes.find((offered) => offered.scope === scope) ?? scope,
  );
  const others = offeredScopes.filter(({ scope }) => !grantedScopes.includes(scope));
  return [
    ["Third party", `${name} (${connector})`],
    ["State", states[connection.state]],
    ["Account", label === undefined ? undefined : quoted(label)],
    [
      "Because",
      connection.state === "reconnect_required" ? reconnectReason(connection.reason, name) : undefined,
    ],
    ["Since", isLinked ? connectedAt : undefined],
    ["Last used", isLinked ? lastUsedAt : undefined],
    ["Addresses", requestPrefixes],
    ["Methods", methods.join(", ")],
    ["Granted", isLinked ? granted.map(describeScope) : []],
    [isLinked ? "Not granted" : "Asks for", others.filter(({ byDefault }) => byDefault).map(describeScope)],
    ["Can ask for", others.filter(({ byDefault }) => !byDefault).map(describeScope)],
    [
      "Needs",
      requiredScopes.map((scope) => `${scope}, which you ${missingScopes.includes(scope) ? "lack" : "have"}`),
    ],
  ];
}

const states: Readonly<Record<Connection["state"], string>> = {
  connected: "connected",
  not_connected: "not connected",
  reconnect_required: "to be connected again",
  disconnecting: "being disconnected",
};

function describeScope(scope: OfferedScope | string): string {
  if (typeof scope === "string") return quoted(scope);
  const about = scope.description === undefined ? "" : `  ${scope.description}`;
  return `${scope.scope}${about}${scope.required ? "  (required)" : ""}`;
}

function nextStep(connection: Connection, offer: CommandContext["offer"]): string {
  const { requestable, requestPrefixes } = connection;
  const [url] = requestPrefixes;
  if (requestable === true && url !== undefined)
    return `Ask for ${connection.missingScopes.join(", ")}: ${offer({ do: "ask", url, scopes: [] })}`;
  if (!isAllowed(connection)) return `Ask an administrator for ${connection.missingScopes.join(", ")}.`;
  if (connection.state === "connected") return `Call it: ${offer(exampleStep(connection))}`;
  if (connection.state === "disconnecting") return "It can be connected again in a minute.";
  return `Connect it: ${offer(connectStep(connection))}`;
}
