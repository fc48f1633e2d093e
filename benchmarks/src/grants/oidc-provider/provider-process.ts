/** oidc-provider in a process of its own: `provider-process.js PORT [POSTGRES_URL]`; in memory without a database. */
import { createServer } from "node:http";
import { once } from "node:events";
import { generateEs256KeyPair } from "@authz/dpop";
import { Pool } from "pg";
import { answerQuestions } from "../child-process.js";
import { createMemoryAdapter } from "./memory-adapter.js";
import { createPostgresAdapter } from "./postgres-adapter.js";
import { createProvider } from "./provider.js";
import { type LogIn, seedCode, seedLogIn } from "./seed.js";

export type SeedQuestion =
  | { readonly kind: "grants"; readonly logIns: readonly LogIn[] }
  | { readonly kind: "codes"; readonly logIns: readonly LogIn[] };

const [port = "", postgresUrl] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const adapter =
  postgresUrl === undefined
    ? createMemoryAdapter()
    : await createPostgresAdapter(new Pool({ connectionString: postgresUrl, max: 10 }));
const { privateJwk } = await generateEs256KeyPair();
const provider = createProvider(issuer, privateJwk, adapter);
const answer = provider.callback();
const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(Number(port), "127.0.0.1");
await once(server, "listening");

answerQuestions(async ({ kind, logIns }: SeedQuestion) => {
  const seed = kind === "grants" ? seedLogIn : seedCode;
  const secrets: string[] = [];
  for (let next = 0; next < logIns.length; next += 100) {
    secrets.push(
      ...(await Promise.all(logIns.slice(next, next + 100).map((logIn) => seed(provider, logIn)))),
    );
  }
  return secrets;
});
