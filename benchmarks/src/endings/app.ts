import { createProofSigner, type Es256KeyPair } from "@authz/dpop";
import { Agent, request } from "undici";

/** What a request was answered with. */
export interface Answer {
  readonly status: number;
  /** The body, after the challenge of a refusal. */
  readonly text: string;
}

/** An app or an agent of a person, with its key and its refresh token. */
export interface App {
  /**
   * Exchanges the refresh token at the server process of this origin. Returns a new access token for the server, or for the
   * resource; an answer: none was issued.
   */
  refresh(origin: string, resource?: string): Promise<string | Answer>;
  /** Exchanges the refresh token at the server process of this origin for an assertion, and that for a token of the service. */
  signInTo(service: string, origin: string, scope: string): Promise<string | Answer>;
  /** Sends a request with this access token. A proof names `htu`, which is the address unless given. */
  send(
    to: { readonly method: string; readonly url: string; readonly htu?: string },
    accessToken: string,
    rest?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Answer>;
}

const dispatcher = new Agent({ pipelining: 1, connections: 100 });
const tokenPath = "/api/oauth/token";
const grantTypes = "urn:ietf:params:oauth:grant-type:";
const tokenTypes = "urn:ietf:params:oauth:token-type:";

export async function closeConnections(): Promise<void> {
  await dispatcher.close();
}

export function createApp(of: {
  readonly keyPair: Es256KeyPair;
  readonly clientId: string;
  readonly refreshToken: string;
  readonly issuer: string;
}): App {
  const { keyPair, clientId, issuer } = of;
  const signer = createProofSigner(keyPair);
  let { refreshToken } = of;

  async function requestToken(url: string, htu: string, form: Readonly<Record<string, string>>) {
    const answer = await sendPlainly("POST", url, {
      headers: {
        dpop: signer.sign({ method: "POST", url: htu }),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams(form).toString(),
    });
    if (answer.status !== 200) return answer;
    return JSON.parse(answer.text) as { readonly access_token: string; readonly refresh_token?: string };
  }

  return {
    async refresh(origin, resource) {
      const answer = await requestToken(origin + tokenPath, issuer + tokenPath, {
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: refreshToken,
        ...(resource !== undefined && { resource }),
      });
      if ("status" in answer) return answer;
      refreshToken = answer.refresh_token ?? refreshToken;
      return answer.access_token;
    },
    async signInTo(service, origin, scope) {
      const assertion = await requestToken(origin + tokenPath, issuer + tokenPath, {
        grant_type: `${grantTypes}token-exchange`,
        requested_token_type: `${tokenTypes}id-jag`,
        subject_token_type: `${tokenTypes}refresh_token`,
        subject_token: refreshToken,
        client_id: clientId,
        audience: service,
        resource: service,
        scope,
      });
      if ("status" in assertion) return assertion;
      const url = `${service}/oauth/token`;
      const answer = await requestToken(url, url, {
        grant_type: `${grantTypes}jwt-bearer`,
        assertion: assertion.access_token,
        client_id: "authz-cli",
      });
      return "status" in answer ? answer : answer.access_token;
    },
    async send({ method, url, htu = url }, accessToken, { headers = {}, body } = {}) {
      return await sendPlainly(method, url, {
        headers: {
          authorization: `DPoP ${accessToken}`,
          dpop: signer.sign({ method, url: htu, accessToken }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
    },
  };
}

async function sendPlainly(
  method: string,
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
): Promise<Answer> {
  const answer = await request(url, { dispatcher, method, headers, body: body ?? null });
  const text = await answer.body.text();
  const challenge = [answer.headers["www-authenticate"] ?? []].flat().join(" ");
  return { status: answer.statusCode, text: challenge + text };
}
