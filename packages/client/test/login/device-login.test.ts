import { beforeEach, describe, expect, it } from "vitest";
import { type DeviceLoginOptions, type DevicePrompt, memoryStore } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import {
  type Change,
  deviceAnswer,
  fault,
  itRefuses,
  metadata,
  type Refusal,
  tokenAnswer,
} from "../support/login-refusals.js";
import type { TestDevice } from "../support/test-device-grants.js";
import { startTestWorld } from "../support/test-world.js";

const world = forEachTest(startTestWorld);
let pauses: number[];
beforeEach(() => {
  pauses = [];
});

/** Waits in no time, and does what the person does after so many questions. */
function personWho(act: (device: TestDevice) => void, afterQuestions = 1): DeviceLoginOptions {
  return {
    onPrompt: () => undefined,
    pause: async (seconds) => {
      pauses.push(seconds);
      world.clock.advance(seconds);
      const [device] = world.server.devices;
      if (device !== undefined && pauses.length > afterQuestions) act(device);
    },
  };
}

const allow = (device: TestDevice): void => {
  device.answer = "allowed";
};

describe("a sign-in on another device", () => {
  it("shows page, codes and time, and ends with a stored session", async () => {
    const store = memoryStore();
    const prompts: DevicePrompt[] = [];
    const session = await world
      .client({ store })
      .loginWithDevice({ ...personWho(allow), onPrompt: (prompt) => prompts.push(prompt) });
    const [device] = world.server.devices;
    expect(prompts).toEqual([
      {
        verificationUri: `${world.server.origin}/device`,
        verificationUriComplete: `${world.server.origin}/device?user_code=${device?.userCode ?? ""}`,
        userCode: device?.userCode,
        deviceCode: session.deviceCode,
        expiresInSeconds: 600,
      },
    ]);
    expect(session).toMatchObject({ subject: "user-ada", email: "ada@acme.example" });
    expect(await world.client({ store }).session()).toEqual(session);
    expect(JSON.stringify(prompts)).not.toContain(device?.deviceCode);
  });

  it("binds the code and every token to one new device key", async () => {
    const session = await world.client().loginWithDevice(personWho(allow));
    const jkt = world.server.devices[0]?.jkt ?? "";
    expect(world.server.grants[0]?.jkt).toBe(jkt);
    expect(session.deviceCode).toBe(`${jkt.slice(0, 4)}-${jkt.slice(4, 8)}`);
    const form = world.server.seen.find(({ path }) => path.endsWith("/device_authorization"))?.form;
    expect(form?.get("dpop_jkt")).toBe(jkt);
    expect(form?.get("scope")).toBe("openid profile email offline_access authz:login");
  });

  it("asks in the rhythm the server wants", async () => {
    await world.client().loginWithDevice(personWho(allow, 3));
    expect(pauses).toEqual([5, 5, 5, 5]);
  });

  it("asks every five seconds when the server names no rhythm", async () => {
    world.server.rewriteDeviceAnswer = (body) => {
      delete body.interval;
    };
    await world.client().loginWithDevice(personWho(allow));
    expect(pauses).toEqual([5, 5]);
  });

  it("asks five seconds more slowly each time it is told to slow down", async () => {
    const slow = { status: 400, body: { error: "slow_down" } };
    world.server.fail("/api/oauth/token", slow, slow);
    await world.client().loginWithDevice(personWho(allow, 2));
    expect(pauses).toEqual([5, 10, 15]);
  });

  it("asks half as often, at least once a minute, while the server cannot be reached", async () => {
    const down = { status: 503, body: {} };
    world.server.fail("/api/oauth/token", down, { status: 429, body: {} }, "drop", down, down);
    await world.client().loginWithDevice(personWho(allow, 5));
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
  });

  it("works with a server that wants a nonce in every proof", async () => {
    world.server.nonce = "server-nonce-1";
    expect((await world.client().loginWithDevice(personWho(allow))).subject).toBe("user-ada");
  });

  it("revokes the session that was there before", async () => {
    const client = await world.signedIn();
    await client.loginWithDevice(personWho(allow));
    expect(world.server.grants.map(({ revoked }) => revoked)).toEqual([true, false]);
  });

  it("stops waiting on Ctrl-C, also in the middle of a pause, and stores nothing", async () => {
    const stop = new AbortController();
    const client = world.client();
    const login = client.loginWithDevice({ onPrompt: () => stop.abort(), signal: stop.signal });
    await expectFailure(login, "sign_in_cancelled");
    const later = new AbortController();
    const second = client.loginWithDevice({
      onPrompt: () => setImmediate(() => later.abort()),
      signal: later.signal,
    });
    await expectFailure(second, "sign_in_cancelled");
    expect(await client.session()).toBeUndefined();
    expect(world.server.count("/api/oauth/token")).toBe(0);
  });

  it("is offered when the metadata says so", async () => {
    expect(await world.client().offersDeviceLogin()).toBe(true);
    withoutEndpoint(world);
    expect(await world.client().offersDeviceLogin()).toBe(false);
  });
});

const withoutEndpoint = metadata((document) => delete document.device_authorization_endpoint);
const answeredWith = (error: string): Change => fault("/api/oauth/token", { status: 400, body: { error } });
const declined: Change = ({ server }) => {
  server.rewriteDeviceAnswer = () => {
    const [device] = server.devices;
    if (device !== undefined) device.answer = "denied";
  };
};
const unauthorized = { status: 400, body: { error: "unauthorized_client" } };
const page = "http://authz.example/device";
const script = "javascript:alert(1)";
const refusals: readonly Refusal[] = [
  ["a person who declines", "sign_in_denied", "Ask Aisha.", declined],
  ["a code that expired on the server", "sign_in_timed_out", "expired", answeredWith("expired_token")],
  [
    "a code that expired while the server could not be asked",
    "sign_in_timed_out",
    "expired",
    deviceAnswer((body) => (body.expires_in = 4)),
  ],
  ["a code the server does not know", "sign_in_failed", "invalid_grant", answeredWith("invalid_grant")],
  ["a server that does not offer it", "sign_in_failed", "device_authorization_endpoint", withoutEndpoint],
  [
    "a client that may not use it",
    "sign_in_failed",
    "unauthorized_client",
    fault("/api/oauth/device_authorization", unauthorized),
  ],
  [
    "a page in plain http elsewhere",
    "invalid_answer",
    "https address",
    deviceAnswer((body) => (body.verification_uri = page)),
  ],
  [
    "a page that is a script",
    "invalid_answer",
    "https address",
    deviceAnswer((body) => (body.verification_uri_complete = script)),
  ],
  ["an answer without a code", "invalid_answer", "user_code", deviceAnswer((body) => delete body.user_code)],
  ["a rhythm that is no number", "invalid_answer", "interval", deviceAnswer((body) => (body.interval = "5"))],
  [
    "a token answer without an ID token",
    "sign_in_failed",
    "ID token",
    tokenAnswer((body) => delete body.id_token),
  ],
];

describe("a sign-in on another device is refused", () => {
  const untouched = (device: TestDevice): void => {
    device.answer ??= "allowed";
  };
  itRefuses(refusals, world, (client) => client.loginWithDevice(personWho(untouched, 0)));
});
