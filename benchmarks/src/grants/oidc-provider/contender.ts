import { type Es256KeyPair, jwkThumbprint } from "@authz/dpop";
import { startProcess } from "../child-process.js";
import type { Contender } from "../contender.js";
import { clientId, codeVerifier, redirectUri } from "../load.js";
import type { SeedQuestion } from "./provider-process.js";

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
    server,
    port,
    idleBytes,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    parameters: {
      refresh: { grant_type: "refresh_token", client_id: clientId },
      code: {
        grant_type: "authorization_code",
        client_id: clientId,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      },
    },
    seedLogIns: (keyPairs) => seed({ kind: "grants", jkts: keyPairs.map(thumbprint) }),
    async seedCodes(keyPairs, each) {
      const jkts = keyPairs.flatMap((keyPair) => Array.from({ length: each }, () => thumbprint(keyPair)));
      const codes = await seed({ kind: "codes", jkts });
      return keyPairs.map((_, index) => codes.slice(index * each, (index + 1) * each));
    },
    stop: () => server.stop(),
  };
}

function thumbprint({ publicJwk }: Es256KeyPair): string {
  return jwkThumbprint(publicJwk);
}
