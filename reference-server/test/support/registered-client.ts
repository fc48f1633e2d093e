import { randomUUID } from "node:crypto";
import { type Es256KeyPair, generateEs256KeyPair, type PrivateJwk } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { type Client, registeredClient, registeredGrants } from "../../src/store/clients.js";
import type { OauthServer } from "./oauth-server.js";

export interface AssertionChange {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with this key instead of the client's first. */
  readonly key?: PrivateJwk;
}

/** A client that administrators have registered, and that signs exactly what a test says. */
export class RegisteredClient {
  readonly id: string;
  readonly issuer: string;
  readonly keyPair: Es256KeyPair;

  private constructor(id: string, issuer: string, keyPair: Es256KeyPair) {
    this.id = id;
    this.issuer = issuer;
    this.keyPair = keyPair;
  }

  /** Registers a confidential client unless the change says otherwise. Machine scopes are for machines. */
  static async register(
    system: OauthServer,
    change: Partial<Client> = {},
    machineScopes: readonly string[] = [],
  ): Promise<RegisteredClient> {
    const { store } = system.server.context;
    const keyPair = await generateEs256KeyPair();
    const client: Client = {
      ...registeredClient,
      id: `client-${randomUUID().slice(0, 8)}`,
      name: "Acme portal",
      type: "confidential",
      redirectUris: ["http://127.0.0.1/callback"],
      keys: [{ kid: "first", publicJwk: keyPair.publicJwk }],
      dpopBound: true,
      builtIn: false,
      enabled: true,
      grantTypes: registeredGrants(change.type ?? "confidential"),
      ...change,
      ...(change.type === "public" && { keys: [] }),
      ...(change.type === "machine" && { redirectUris: [] }),
    };
    await store.clients.save(client, new Date());
    await store.clients.saveMachineScopes(client.id, machineScopes);
    return new RegisteredClient(client.id, system.issuer, keyPair);
  }

  /** The key in the form that other libraries take. */
  async signingKey() {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const { kty, crv, x, y, d } = this.keyPair.privateJwk;
    return await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, algorithm, false, ["sign"]);
  }

  assertion({ header = {}, claims = {}, key = this.keyPair.privateJwk }: AssertionChange = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      iss: this.id,
      sub: this.id,
      aud: this.issuer,
      iat: now,
      exp: now + 60,
      jti: randomUUID(),
      ...claims,
    };
    const typed = { typ: "client-authentication+jwt", kid: "first", ...header };
    return signCompactJws(typed, all, importPrivateJwk(key));
  }

  /** What this client adds to a form to prove who it is. */
  credentials(change: AssertionChange = {}): Record<string, string> {
    return {
      client_id: this.id,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: this.assertion(change),
    };
  }
}
