import { createHash, randomBytes } from "node:crypto";
import {
  type Clock,
  createProofSigner,
  type Es256KeyPair,
  generateEs256KeyPair,
  type ProofSigner,
} from "@authz/dpop";
import type { Resource } from "../../src/store/resources.js";
import { type Browser, readForm } from "./browser.js";
import { allScopes, createBrowser, redirectUri, signIn } from "./device.js";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, string>;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** One request, as a test wants to spoil it. */
export interface TokenCall {
  /** Another instance of the server. */
  readonly origin?: string;
  /** The `DPoP` headers; a fresh proof of this device when absent. */
  readonly proofs?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The raw body instead of the parameters. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The URN of a token type. */
export const tokenType = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`;

/** A form that exchanges a token for an identity assertion, without the client. */
export function exchangeForm(
  token: string | undefined,
  { authorizationServer, resource }: Pick<Resource, "authorizationServer" | "resource">,
  type = "refresh_token",
) {
  return {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: tokenType("id-jag"),
    subject_token: token,
    subject_token_type: tokenType(type),
    audience: authorizationServer,
    resource,
  };
}

/** A client that sends exactly what a test says, right or wrong. */
export class RawDevice {
  readonly issuer: string;
  readonly keyPair: Es256KeyPair;
  readonly signer: ProofSigner;
  readonly codeVerifier = randomBytes(32).toString("base64url");

  private constructor(issuer: string, keyPair: Es256KeyPair, clock: Clock) {
    this.issuer = issuer;
    this.keyPair = keyPair;
    this.signer = createProofSigner(keyPair, { clock });
  }

  static async create(issuer: string): Promise<RawDevice> {
    return new RawDevice(issuer, await generateEs256KeyPair(), Date.now);
  }

  /** The same device with another clock. */
  at(clock: Clock): RawDevice {
    return new RawDevice(this.issuer, this.keyPair, clock);
  }

  authorizeUrl(changes: Parameters = {}): URL {
    const url = new URL(`${this.issuer}/api/oauth/authorize`);
    url.search = form({
      client_id: "authz-cli",
      response_type: "code",
      redirect_uri: redirectUri,
      scope: allScopes,
      state: "client-state",
      code_challenge: createHash("sha256").update(this.codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
      dpop_jkt: this.signer.thumbprint,
      ...changes,
    }).toString();
    return url;
  }

  /** Authorizes as somebody who allows everything, and returns the code. */
  async authorize(
    changes: Parameters = {},
    browser: Browser = createBrowser(),
    person = "ada",
  ): Promise<string> {
    const consent = await signIn(browser, this.authorizeUrl(changes), person);
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    const code = url.searchParams.get("code");
    if (code === null) throw new Error(`No code in ${url.href}`);
    return code;
  }

  codeParameters(code: string): Record<string, string> {
    return {
      grant_type: "authorization_code",
      client_id: "authz-cli",
      code,
      redirect_uri: redirectUri,
      code_verifier: this.codeVerifier,
    };
  }

  refreshParameters(refreshToken: string): Record<string, string> {
    return { grant_type: "refresh_token", client_id: "authz-cli", refresh_token: refreshToken };
  }

  async signIn(
    changes: Parameters = {},
    browser: Browser = createBrowser(),
    person = "ada",
  ): Promise<Record<string, string>> {
    const answer = await this.token(this.codeParameters(await this.authorize(changes, browser, person)));
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  /** A fresh proof for an endpoint, the token endpoint unless said otherwise. */
  proof(path = "/api/oauth/token", nonce?: string): string {
    const url = `${this.issuer}${path}`;
    return this.signer.sign({ method: "POST", url, ...(nonce !== undefined && { nonce }) });
  }

  async token(parameters: Parameters, call: TokenCall = {}): Promise<Answer> {
    return await this.post("/api/oauth/token", parameters, call);
  }

  /** Posts a form to an endpoint, with a proof of this device unless the call says otherwise. */
  async post(path: string, parameters: Parameters, call: TokenCall = {}): Promise<Answer> {
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", ...call.headers });
    for (const proof of call.proofs ?? [this.proof(path)]) headers.append("dpop", proof);
    const response = await fetch(`${call.origin ?? this.issuer}${path}`, {
      method: "POST",
      headers,
      body: call.body ?? form(parameters).toString(),
    });
    return await toAnswer(response);
  }

  async refresh(refreshToken: string, call: TokenCall = {}): Promise<Answer> {
    return await this.token(this.refreshParameters(refreshToken), call);
  }

  async userinfo(accessToken: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const url = `${this.issuer}/api/oauth/userinfo`;
    const dpop = this.signer.sign({ method: "GET", url, accessToken });
    return await toAnswer(
      await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop, ...headers } }),
    );
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? {} : JSON.parse(text)) as Record<string, string>,
  };
}

function form(parameters: Parameters): URLSearchParams {
  const defined = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(defined);
}
