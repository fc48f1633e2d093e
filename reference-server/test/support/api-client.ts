import { RawDevice } from "./raw-device.js";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

interface ApiRequest {
  readonly body?: object;
  /** In place of the credentials of the client; `undefined`: none. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A person's command line at the API of the server, with a proof of its own for each request. */
export class ApiClient {
  readonly #device: RawDevice;
  readonly #accessToken: string;
  private constructor(device: RawDevice, accessToken: string) {
    this.#device = device;
    this.#accessToken = accessToken;
  }

  static async signIn(issuer: string, person = "ada"): Promise<ApiClient> {
    const device = await RawDevice.create(issuer);
    const { access_token: accessToken = "" } = await device.signIn({}, undefined, person);
    return new ApiClient(device, accessToken);
  }

  /** The headers of one request. */
  credentials(method: string, path: string): { readonly authorization: string; readonly dpop: string } {
    const url = `${this.#device.issuer}${path.replace(/\?.*/, "")}`;
    const accessToken = this.#accessToken;
    const dpop = this.#device.signer.sign({ method, url, accessToken });
    return { authorization: `DPoP ${accessToken}`, dpop };
  }

  async fetch(method: string, path: string, { body, headers = {} }: ApiRequest = {}): Promise<Response> {
    const sent = new Headers();
    const all = {
      ...this.credentials(method, path),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) sent.set(name, value);
    const json = body !== undefined && { body: JSON.stringify(body) };
    return await fetch(`${this.#device.issuer}${path}`, { method, headers: sent, ...json });
  }

  async call(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const response = await this.fetch(method, path, request);
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as Record<string, unknown> };
  }

  async get(path: string, headers: ApiRequest["headers"] = {}): Promise<ApiAnswer> {
    return await this.call("GET", path, { headers });
  }
}
