import {
  createDevelopmentSystem as createSystem,
  type DevelopmentSystem,
  type PortUse,
  signingKeyFile,
  type SystemPlan,
} from "../parts.js";
import { mcpProgram, mcpTitle, notesProgram, serviceProgram, serviceTitles } from "./programs.js";
import { developmentRegistry } from "./registry.js";
import { type DevelopmentSecrets, secretNames } from "./secrets.js";
import { type Settings, serviceKeys } from "./settings.js";

export { type DevelopmentSystem, StoppedError } from "../parts.js";

/** The whole system of this repository: what `authz-dev` starts, a third party, three services and an MCP server. */
export function createDevelopmentSystem(settings: Settings): DevelopmentSystem {
  return createSystem({
    settings,
    secretNames,
    plan: (secrets) => planSystem(settings, secrets),
    portUses: portUses(settings),
    portRemedy: "Or move all ports, for example by 1000: AUTHZ_DEV_PORT_OFFSET=1000 npm start",
  });
}

async function planSystem(settings: Settings, secrets: DevelopmentSecrets): Promise<SystemPlan> {
  const keyOf = (name: string): Promise<string> => signingKeyFile(settings.stateDirectory, name);
  const services = await Promise.all(
    serviceKeys.map(async (key) => serviceProgram(settings, key, await keyOf(`contracts-${key}`))),
  );
  return {
    companions: [notesProgram(settings, secrets)],
    services: [...services, mcpProgram(settings, await keyOf("mcp-server"))],
    registry: developmentRegistry(settings, secrets),
  };
}

function portUses({ ports }: Settings): readonly PortUse[] {
  return [
    { port: ports.notes, use: "Notes, the third party" },
    ...serviceKeys.map((key) => ({ port: ports[key], use: serviceTitles[key] })),
    { port: ports.mcp, use: mcpTitle },
  ];
}
