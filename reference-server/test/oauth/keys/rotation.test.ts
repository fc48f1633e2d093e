import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reloadKeys } from "../../../src/oauth/keys/keys.js";
import {
  activateKey,
  publicationSeconds,
  retentionSeconds,
  stageKey,
} from "../../../src/oauth/keys/rotate-keys.js";
import type { Server } from "../../../src/server.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../../support/raw-device.js";
import { findFreePort } from "../../../../tools/src/network/ports.js";

let system: OauthServer;
let service: FastifyInstance;
let publicOrigin: string;
let device: RawDevice;
let refreshToken: string;
let origins: readonly string[];
let offset = 0;
const clock = () => Date.now() + offset;

function advance(seconds: number): void {
  offset += seconds * 1000;
  system.advance(seconds);
}

/** A cache between the service and the server that keeps everything as long as `max-age` allows. */
function createCachingFetch(): typeof fetch {
  const kept = new Map<string, { readonly body: string; readonly until: number }>();
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const entry = kept.get(url);
    if (entry !== undefined && entry.until > clock()) return new Response(entry.body);
    const response = await fetch(url, init);
    const body = await response.text();
    const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get("cache-control") ?? "")?.[1]);
    kept.set(url, { body, until: clock() + maxAge * 1000 });
    return new Response(body);
  };
}

beforeAll(async () => {
  system = await startOauthServer();
  service = fastify();
  publicOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const authz = initAuthz(system.issuer, {
    resource: `${publicOrigin}/api`,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory({ clock }),
    allowInsecureLoopback: true,
    fetch: createCachingFetch(),
    clock,
  });
  authz.registerRoutes(service);
  const onRequest = authz.requireAuth({ scopes: ["contracts:read"] });
  service.get("/api/contracts", { onRequest }, async (request) => request.auth.identity.subject);
  await service.listen({ port: Number(new URL(publicOrigin).port), host: "127.0.0.1" });
  await authz.ready();
  const resource = { resource: `${publicOrigin}/api`, authorizationServer: publicOrigin };
  await system.server.context.store.resources.save({ ...system.resource, ...resource }, new Date());
  device = (await RawDevice.create(system.issuer)).at(clock);
  refreshToken = (await device.signIn())["refresh_token"] ?? "";
  origins = [system.issuer, await system.startSecondInstance()];
});
afterAll(async () => {
  await service.close();
  await system.close();
});

/** An identity assertion from one of the instances. */
async function obtainAssertion(origin: string): Promise<string> {
  const { status, body } = await device.token(
    {
      ...exchangeForm(refreshToken, { authorizationServer: publicOrigin, resource: `${publicOrigin}/api` }),
      client_id: "authz-cli",
    },
    { origin },
  );
  expect(status).toBe(200);
  return body["access_token"] ?? "";
}

/** Redeems an assertion at the service and calls the protected route. Returns both statuses. */
async function call(assertion: string): Promise<readonly number[]> {
  const url = `${publicOrigin}/oauth/token`;
  const body = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
  const dpop = device.signer.sign({ method: "POST", url });
  const answer = await fetch(url, { method: "POST", headers: { dpop }, body });
  const { access_token: accessToken = "" } = (await answer.json()) as { access_token?: string };
  const route = `${publicOrigin}/api/contracts`;
  const proof = device.signer.sign({ method: "GET", url: route, accessToken });
  const headers = { authorization: `DPoP ${accessToken}`, dpop: proof };
  return [answer.status, (await fetch(route, { headers })).status];
}

function twoInstances(): readonly [Server, Server] {
  const [first, second] = system.instances;
  if (first === undefined || second === undefined) throw new Error("There are two instances.");
  return [first, second];
}

const kidOf = (assertion: string) => decodeProtectedHeader(assertion).kid;

test("a service accepts every assertion of two instances through a whole rotation, behind a cache", async () => {
  const [first, second] = twoInstances();
  const oldKid = system.server.context.config.signingKey.kid;
  const options = () => ({ ...first.context, at: new Date(clock()) });
  const signedBy = new Set<string | undefined>();

  /** A minute of the installation. The second instance hears of a change one minute late. */
  async function liveOneMinute(): Promise<void> {
    await reloadKeys(first.context);
    for (const origin of origins) {
      const assertion = await obtainAssertion(origin);
      signedBy.add(kidOf(assertion));
      expect(await call(assertion)).toEqual([200, 200]);
    }
    await reloadKeys(second.context);
    advance(60);
  }

  // The caches are filled a moment before the key is staged, which is the worst moment.
  await liveOneMinute();
  const { kid } = await stageKey(options());
  for (let minute = 0; minute < publicationSeconds / 60; minute += 1) {
    await expect(activateKey({ kid, emergency: false }, options())).rejects.toMatchObject({
      reason: "too_early",
    });
    await liveOneMinute();
  }
  expect(signedBy).toEqual(new Set([oldKid]));

  await activateKey({ kid, emergency: false }, options());
  // The second instance has not heard of it yet: its last word with the old key, redeemed as late as possible.
  const last = await obtainAssertion(origins[1] ?? "");
  expect(kidOf(last)).toBe(oldKid);
  for (let minute = 0; minute < 4; minute += 1) await liveOneMinute();
  advance(55);
  expect(await call(last)).toEqual([200, 200]);
  expect(signedBy).toEqual(new Set([oldKid, kid]));

  for (let minute = 0; minute < retentionSeconds / 60 + 10; minute += 1) await liveOneMinute();
  const { keys } = (await (await fetch(`${system.issuer}/api/oauth/jwks`)).json()) as {
    keys: { kid: string }[];
  };
  expect(keys.map((key) => key.kid)).toEqual([kid]);
});
