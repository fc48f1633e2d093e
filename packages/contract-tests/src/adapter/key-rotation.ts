import { createProofSigner, generateEs256KeyPair, inMemory, type ProofSigner } from "@authz/dpop";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import type { AuthzOptions, SigningKey, SigningKeyProvider } from "@authz/verify";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningApp, StartAdapter } from "./contract-app.js";
import { formType, headerLines, publicOrigin, redemptionOf } from "./fixture.js";
import { sendRaw } from "./raw-request.js";

const accessTokenSeconds = 600;
const providerSeconds = 30;

/** Rotating the service's signing key, over HTTP, while employees keep calling. */
export function describeKeyRotation(start: StartAdapter): void {
  describe("rotates its signing key without one refused request", () => {
    const services: Service[] = [];
    afterEach(() => Promise.all(services.splice(0).map((service) => service.close())));

    async function createService(): Promise<{ service: Service; older: SigningKey; newer: SigningKey }> {
      const service = await startService(start);
      services.push(service);
      const [older, newer] = await Promise.all(["older", "newer"].map(createKey));
      if (older === undefined || newer === undefined) throw new Error("There are two keys.");
      return { service, older, newer };
    }

    it("when two processes are deployed one after the other, as the README says", async () => {
      const { service, older, newer } = await createService();
      const stages: readonly { keys: readonly SigningKey[]; afterSeconds?: number }[] = [
        { keys: [older] },
        { keys: [older, newer] },
        { keys: [newer, older] },
        { keys: [newer], afterSeconds: accessTokenSeconds },
      ];
      const statuses: number[] = [];
      for (const { keys, afterSeconds = 1 } of stages) {
        service.passSeconds(afterSeconds);
        for (const process of [0, 1]) {
          await service.deploy(process, keys);
          statuses.push(...(await service.callEverywhere()));
        }
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(statuses.length).toBeGreaterThan(20);
      expect(await service.publishedKids()).toEqual(["newer"]);
    });

    it("when a provider rotates it, without a deployment", async () => {
      const { service, older, newer } = await createService();
      let current = older;
      let published = [older];
      const provider: SigningKeyProvider = {
        current: () => current,
        jwks: () => ({ keys: published.map(({ kid, publicJwk }) => ({ ...publicJwk, kid })) }),
      };
      for (const process of [0, 1]) await service.deploy(process, provider);
      const statuses = await service.callEverywhere();
      const stages: readonly { change: () => void; afterSeconds: number }[] = [
        { change: () => (published = [older, newer]), afterSeconds: 1 },
        { change: () => (current = newer), afterSeconds: providerSeconds },
        { change: () => (published = [newer]), afterSeconds: accessTokenSeconds },
      ];
      for (const { change, afterSeconds } of stages) {
        service.passSeconds(afterSeconds);
        change();
        statuses.push(...(await service.callEverywhere()));
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(await service.publishedKids()).toEqual(["newer"]);
    });
  });
}

/** Two processes of one service behind one public origin, and an employee who calls both. */
interface Service {
  /** Replaces one process by one that has these keys. */
  deploy(process: number, signingKeys: readonly SigningKey[] | SigningKeyProvider): Promise<void>;
  passSeconds(seconds: number): void;
  /** Gets a new token at each process and presents every token that is still good at each; returns all statuses. */
  callEverywhere(): Promise<number[]>;
  publishedKids(): Promise<string[]>;
  close(): Promise<void>;
}

interface Token {
  readonly text: string;
  readonly expiresAt: number;
}

async function startService(start: StartAdapter): Promise<Service> {
  let now = Date.now();
  const clock = (): number => now;
  const issuer = await createTestIssuer({
    publicOrigin,
    supportedScopes: ["contracts:read", "contracts:write", "contracts:delete"],
    clock,
  });
  const { signingKey: _replaced, ...options } = issuer.options;
  const replayStore = inMemory({ clock });
  const signer = createProofSigner(await generateEs256KeyPair(), { clock });
  const processes: RunningApp[] = [];
  let tokens: Token[] = [];

  return {
    async deploy(process, signingKeys) {
      await processes[process]?.close();
      processes[process] = await startProcess(start, issuer.url, {
        ...options,
        replayStore,
        clock,
        signingKeys,
      });
    },
    passSeconds(seconds) {
      now += seconds * 1000;
    },
    async callEverywhere() {
      const statuses: number[] = [];
      tokens = tokens.filter(({ expiresAt }) => expiresAt > now);
      for (const { port } of processes) {
        const { status, text } = await redeem(port, issuer, signer);
        statuses.push(status);
        tokens.push({ text, expiresAt: now + accessTokenSeconds * 1000 });
      }
      for (const { port } of processes) {
        for (const { text } of tokens) statuses.push(await call(port, signer, text));
      }
      return statuses;
    },
    async publishedKids() {
      const { body } = await sendRaw(processes[0]?.port ?? 0, { target: "/.well-known/jwks.json" });
      return (JSON.parse(body) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    },
    async close() {
      await Promise.all(processes.map((running) => running.close()));
      await issuer.close();
    },
  };
}

function startProcess(start: StartAdapter, issuer: string, options: AuthzOptions): Promise<RunningApp> {
  return start({
    issuer,
    options,
    bodyParsers: false,
    guardEverything: false,
    entered: () => {},
    need: () => undefined,
  });
}

async function redeem(
  port: number,
  issuer: TestIssuer,
  signer: ProofSigner,
): Promise<{ status: number; text: string }> {
  const assertion = issuer.issueAssertion({ thumbprint: signer.thumbprint });
  const { status, body } = await sendRaw(port, {
    method: "POST",
    target: "/oauth/token",
    headers: [formType, ["DPoP", signer.sign({ method: "POST", url: `${publicOrigin}/oauth/token` })]],
    body: redemptionOf(assertion),
  });
  return { status, text: String((JSON.parse(body) as { access_token?: string }).access_token) };
}

async function call(port: number, signer: ProofSigner, accessToken: string): Promise<number> {
  const dpop = signer.sign({ method: "GET", url: `${publicOrigin}/api/contracts`, accessToken });
  const headers = headerLines({ authorization: `DPoP ${accessToken}`, dpop });
  return (await sendRaw(port, { target: "/api/contracts", headers })).status;
}

async function createKey(kid: string): Promise<SigningKey> {
  return { kid, ...(await generateEs256KeyPair()) };
}
