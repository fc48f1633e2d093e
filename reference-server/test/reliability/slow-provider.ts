import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT } from "jose";

/** An OpenID provider that signs everybody in, and answers the server when the test says so. */
export interface SlowProvider {
  readonly issuer: string;
  /** Resolves when this many servers wait for an answer. */
  waiting(count: number): Promise<void>;
  /** Answers the ones that wait. */
  answer(): Promise<void>;
  /** Closes the connections of the ones that wait. */
  hangUp(): void;
  close(): void;
}

const kid = "slow";

export async function startSlowProvider(): Promise<SlowProvider> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const held: { readonly response: ServerResponse; readonly nonce: string }[] = [];
  const watchers = new Set<() => void>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    const json = (body: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (url.pathname === "/.well-known/openid-configuration") json(metadata(issuer));
    else if (url.pathname === "/jwks") {
      json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" }] });
    } else if (url.pathname === "/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      // The code carries what the ID token has to repeat.
      back.searchParams.set("code", url.searchParams.get("nonce") ?? "");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      response.writeHead(303, { location: back.href }).end();
    } else {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        held.push({ response, nonce: new URLSearchParams(body).get("code") ?? "" });
        for (const watch of watchers) watch();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    waiting: (count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (held.length < count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    async answer() {
      for (const { response, nonce } of held.splice(0)) {
        const claims = { email: "ada@acme.example", email_verified: true, name: "Ada", nonce };
        const idToken = await new SignJWT(claims)
          .setProtectedHeader({ alg: "ES256", kid })
          .setIssuer(issuer)
          .setAudience("authz")
          .setSubject("ada")
          .setIssuedAt()
          .setExpirationTime("5 minutes")
          .sign(privateKey);
        const body = { access_token: "unused", token_type: "Bearer", id_token: idToken };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      }
    },
    hangUp() {
      for (const { response } of held.splice(0)) response.destroy();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}
