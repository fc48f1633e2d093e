import { createServer, type IncomingMessage } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** An OpenID provider that signs everybody in at once, and does one thing wrong. */
export interface FaultyProvider {
  readonly issuer: string;
  /** What is wrong from now on. */
  behave(fault: ProviderFault): void;
  close(): Promise<void>;
}

export interface ProviderFault {
  /** Members of the metadata; `undefined` takes one away. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** In place of the metadata. */
  readonly discovery?: { readonly status: number; readonly body: string };
  /** In the answer of the authorization endpoint, in place of the code. */
  readonly answer?: Readonly<Record<string, string>>;
  /** In place of the tokens. */
  readonly token?: { readonly status: number; readonly body: object };
  readonly keys?: { readonly status: number };
  /** Signs with a key that is not among the published ones. */
  readonly foreignKey?: boolean;
  /** Claims of the ID token; `undefined` takes one away. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** What the userinfo endpoint answers. */
  readonly userinfo?: { readonly status: number; readonly body: object };
}

const keyPair = generateKeyPair("RS256");
const foreignKeyPair = generateKeyPair("RS256");

export async function startFaultyProvider(): Promise<FaultyProvider> {
  let fault: ProviderFault = {};
  let nonce = "";
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    const json = (status: number, body: object | string) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(typeof body === "string" ? body : JSON.stringify(body));
    const work = async () => {
      switch (url.pathname) {
        case "/.well-known/openid-configuration":
          return fault.discovery === undefined
            ? json(200, { ...metadata(issuer), ...fault.metadata })
            : json(fault.discovery.status, fault.discovery.body);
        case "/authorize": {
          nonce = url.searchParams.get("nonce") ?? "";
          const back = new URL(url.searchParams.get("redirect_uri") ?? "");
          const state = url.searchParams.get("state") ?? "";
          const answer = { state, iss: issuer, ...(fault.answer ?? { code: "code" }) };
          back.search = new URLSearchParams(answer).toString();
          return response.writeHead(303, { location: back.href }).end();
        }
        case "/token":
          await read(request);
          if (fault.token !== undefined) return json(fault.token.status, fault.token.body);
          return json(200, {
            access_token: "access",
            token_type: "Bearer",
            id_token: await idToken(issuer, nonce, fault),
          });
        case "/userinfo":
          return json(fault.userinfo?.status ?? 200, fault.userinfo?.body ?? { sub: "ada" });
        default:
          return json(fault.keys?.status ?? 200, {
            keys: [{ ...(await exportJWK((await keyPair).publicKey)), kid: "1", alg: "RS256", use: "sig" }],
          });
      }
    };
    void work();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    issuer,
    behave: (next) => void (fault = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    authorization_response_iss_parameter_supported: true,
  };
}

async function idToken(
  issuer: string,
  nonce: string,
  { claims, foreignKey }: ProviderFault,
): Promise<string> {
  const { privateKey } = await (foreignKey === true ? foreignKeyPair : keyPair);
  const now = Math.floor(Date.now() / 1000);
  const wanted = { email: "ada@acme.example", email_verified: true, nonce, sub: "ada", ...claims };
  return await new SignJWT({ iss: issuer, aud: "authz", iat: now, exp: now + 60, ...wanted })
    .setProtectedHeader({ alg: "RS256", kid: "1" })
    .sign(privateKey);
}

async function read(request: IncomingMessage): Promise<void> {
  await request.resume().toArray();
}
