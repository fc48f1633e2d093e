import { type Es256KeyPair, jwkThumbprint } from "@authz/dpop";
import { clientOf, personOf } from "../authz/people.js";
import { startProcess } from "../child-process.js";
import { commonParameters, type Contender } from "./contender.js";
import type { SeedQuestion } from "./oidc-process.js";

/** Starts oidc-provider, in memory without a database. It has no token exchange. */
export async function startOidcProvider(options: {
  readonly name: string;
  readonly port: number;
  readonly postgresUrl?: string;
  readonly execArgv: readonly string[];
}): Promise<Contender> {
  const { name, port, postgresUrl } = options;
  const args = [String(port), ...(postgresUrl === undefined ? [] : [postgresUrl])];
  const server = startProcess(new URL("./oidc-process.js", import.meta.url), args, {
    env: { ...process.env, NODE_ENV: "production" },
    execArgv: [...options.execArgv],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // Its warnings about plain HTTP are expected.
  server.process.stderr?.on("data", (text: Buffer) => {
    if (!text.toString().includes("oidc-provider WARNING")) process.stderr.write(text);
  });
  const seed = (kind: SeedQuestion["kind"], keyPairs: readonly Es256KeyPair[], each: number) =>
    server.ask<readonly string[]>({
      kind,
      signIns: keyPairs.flatMap(({ publicJwk }, device) =>
        Array.from({ length: each }, (_, request) => ({
          jkt: jwkThumbprint(publicJwk),
          clientId: clientOf(device),
          accountId: `person-${personOf(device, { request, devices: keyPairs.length })}`,
        })),
      ),
    } satisfies SeedQuestion);
  return {
    name,
    servers: [server],
    ports: [port],
    idleBytes: (await server.usage()).rssBytes,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    parameters: commonParameters,
    seedGrants: (keyPairs) => seed("grants", keyPairs, 1),
    async seedCodes(keyPairs, each) {
      const codes = await seed("codes", keyPairs, each);
      return keyPairs.map((_, index) => codes.slice(index * each, (index + 1) * each));
    },
    stop: () => server.stop(),
  };
}
