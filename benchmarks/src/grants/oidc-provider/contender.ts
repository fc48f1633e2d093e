import { type Es256KeyPair, jwkThumbprint } from "@authz/dpop";
import { startProcess } from "../child-process.js";
import type { Contender } from "../contender.js";
import { clientOf, codeVerifier, personOf, redirectUri } from "../load.js";
import type { SeedQuestion } from "./provider-process.js";
import type { LogIn } from "./seed.js";

/** Starts oidc-provider, in memory without a database. It has no token exchange. */
export async function startOidcProvider(options: {
  readonly name: string;
  readonly port: number;
  readonly postgresUrl?: string;
  readonly nodeOptions: readonly string[];
}): Promise<Contender> {
  const { name, port, postgresUrl } = options;
  const args = [String(port), ...(postgresUrl === undefined ? [] : [postgresUrl])];
  const env = { ...process.env, NODE_ENV: "production" };
  const file = new URL("./provider-process.js", import.meta.url);
  // Its warnings about plain HTTP are expected.
  const server = startProcess(file, args, {
    env,
    execArgv: [...options.nodeOptions],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  server.process.stderr?.on("data", (text: Buffer) => {
    if (!text.toString().includes("oidc-provider WARNING")) process.stderr.write(text);
  });
  const { rssBytes: idleBytes } = await server.usage();
  const seed = (question: SeedQuestion) => server.ask<readonly string[]>(question);
  return {
    name,
    servers: [server],
    ports: [port],
    idleBytes,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    parameters: {
      refresh: { grant_type: "refresh_token" },
      code: {
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      },
    },
    seedLogIns: (keyPairs) =>
      seed({
        kind: "grants",
        logIns: keyPairs.map((_, device) => logInOf(keyPairs, { device, request: 0 })),
      }),
    async seedCodes(keyPairs, each) {
      const logIns = keyPairs.flatMap((_, device) =>
        Array.from({ length: each }, (__, request) => logInOf(keyPairs, { device, request })),
      );
      const codes = await seed({ kind: "codes", logIns });
      return keyPairs.map((_, index) => codes.slice(index * each, (index + 1) * each));
    },
    stop: () => server.stop(),
  };
}

function logInOf(
  keyPairs: readonly Es256KeyPair[],
  { device, request }: { readonly device: number; readonly request: number },
): LogIn {
  const publicJwk = keyPairs[device]?.publicJwk;
  if (publicJwk === undefined) throw new RangeError("There is no such device.");
  const person = personOf(device, { request, devices: keyPairs.length });
  return { jkt: jwkThumbprint(publicJwk), clientId: clientOf(device), accountId: `person-${person}` };
}
