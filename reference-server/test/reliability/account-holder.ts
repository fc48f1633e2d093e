import { Browser, readForm } from "../support/browser.js";
import { createBrowser } from "../support/device.js";
import { RawDevice } from "../support/raw-device.js";
import type { ThirdPartyGate } from "./third-party-gate.js";

/** What a client sees of a connection, as far as the tests look. */
export interface SeenConnection {
  readonly state: "not_connected" | "connected" | "reconnect_required" | "disconnecting";
  readonly reason?: string;
}

/** An answer, or `undefined` when the server ended before it had given one. */
export interface SeenAnswer {
  readonly status: number | undefined;
  /** The answer is the third party's. */
  readonly isForeign: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The process that is asked; whichever is behind the issuer's address when absent. */
  readonly origin?: string;
}

/** Somebody with a client, a browser, and accounts at the third party. */
export class AccountHolder {
  readonly #device: RawDevice;
  readonly #cookies: Browser["cookies"];
  readonly #gate: Pick<ThirdPartyGate, "address">;
  #tokens: Readonly<Record<string, string>>;
  #refreshAt = 0;

  private constructor(
    device: RawDevice,
    { cookies }: Browser,
    { tokens, gate }: { tokens: Readonly<Record<string, string>>; gate: Pick<ThirdPartyGate, "address"> },
  ) {
    this.#device = device;
    this.#cookies = cookies;
    this.#gate = gate;
    this.#tokens = tokens;
    this.#keep(tokens);
  }

  #keep(tokens: Readonly<Record<string, string>>): void {
    this.#tokens = tokens;
    this.#refreshAt = Date.now() + Number(tokens["expires_in"]) * 500;
  }

  /** Signs in with a client and with a browser. */
  static async signIn(issuer: string, gate: Pick<ThirdPartyGate, "address">): Promise<AccountHolder> {
    const device = await RawDevice.create(issuer);
    const browser = createBrowser();
    const tokens = await device.signIn({}, browser);
    return new AccountHolder(device, browser, { tokens, gate });
  }

  /** Replaces the access token at half its time, or with a later call when the server ended meanwhile. */
  async #refreshInTime(): Promise<void> {
    if (Date.now() < this.#refreshAt) return;
    this.#refreshAt = Number.POSITIVE_INFINITY;
    const answer = await this.#device.refresh(this.#tokens["refresh_token"] ?? "").catch(() => undefined);
    if (answer?.status === 200) this.#keep(answer.body);
    else this.#refreshAt = 0;
  }

  async show(key: string, origin?: string): Promise<SeenConnection> {
    const { status, body } = await this.#call(`/${key}`, origin === undefined ? {} : { origin });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as unknown as SeenConnection;
  }

  /** Sends a request through a connector. */
  async use(key: string, call: Call = {}): Promise<SeenAnswer> {
    const headers = { ...call.headers, "authz-target": this.#gate.address(key, "/api/notes") };
    return await this.#call(`/${key}/requests`, { ...call, headers });
  }

  async disconnect(key: string, origin?: string): Promise<SeenAnswer> {
    return await this.#call(`/${key}`, { method: "DELETE", ...(origin !== undefined && { origin }) });
  }

  /** How an attempt stands. */
  async attempt(key: string, id: string): Promise<SeenAnswer> {
    return await this.#call(`/${key}/attempts/${id}`);
  }

  /** Goes to the third party and comes back with what the browser would show to this server next. */
  async beginConnecting(
    key: string,
  ): Promise<{ readonly id: string; finish(): Promise<number | undefined> }> {
    const headers = { "content-type": "application/json" };
    const begun = await this.#call(`/${key}/attempts`, { method: "POST", headers, body: "{}" });
    const { id, url } = begun.body as { id?: string; url?: string };
    if (begun.status !== 201 || id === undefined || url === undefined) {
      throw new Error(`${begun.status} ${JSON.stringify(begun.body)}`);
    }
    let isBack = false;
    const browser = new Browser(({ pathname }) => !isBack && pathname === `/connections/callback/${key}`);
    for (const [name, value] of this.#cookies) browser.cookies.set(name, value);
    const page = await browser.open(url);
    const going = await browser.submit(readForm(page), { decision: "continue" });
    const back = going.leadsTo === undefined ? going : await browser.open(going.leadsTo);
    if (back.status !== 0) throw new Error(`${back.url.href} (${back.status}): ${back.html}`);
    return {
      id,
      async finish() {
        isBack = true;
        try {
          return (await browser.open(back.url)).status;
        } catch {
          return undefined;
        }
      },
    };
  }

  /** Connects an account, or connects it again. Returns the id of the attempt. */
  async connect(key: string): Promise<string> {
    const attempt = await this.beginConnecting(key);
    const status = await attempt.finish();
    if (status !== 200) throw new Error(`Connecting ${key} ended with ${status}.`);
    return attempt.id;
  }

  async #call(path: string, { method = "GET", headers, body, origin }: Call = {}): Promise<SeenAnswer> {
    await this.#refreshInTime();
    const { issuer, signer } = this.#device;
    const { access_token: accessToken = "" } = this.#tokens;
    const url = `${issuer}/api/me/connections${path}`;
    const proof = signer.sign({ method, url, accessToken });
    const headersOfCall = { ...headers, authorization: `DPoP ${accessToken}`, dpop: proof };
    const init = {
      method,
      headers: headersOfCall,
      redirect: "manual",
      ...(body !== undefined && { body }),
    } as const;
    const answer = await readAnswer(`${origin ?? issuer}/api/me/connections${path}`, init);
    if (answer === undefined) return { status: undefined, isForeign: false, body: {} };
    const { status, proxyStatus, text } = answer;
    const isForeign = proxyStatus?.includes("received-status") === true;
    return { status, isForeign, body: JSON.parse(text === "" ? "{}" : text) as Record<string, unknown> };
  }
}

/** `undefined` when the server ended before it had given its answer. */
async function readAnswer(
  url: string,
  init: RequestInit,
): Promise<
  { readonly status: number; readonly proxyStatus: string | null; readonly text: string } | undefined
> {
  try {
    const answer = await fetch(url, init);
    return {
      status: answer.status,
      proxyStatus: answer.headers.get("proxy-status"),
      text: await answer.text(),
    };
  } catch {
    return undefined;
  }
}
