import { beforeEach, describe, expect, it } from "vitest";
import {
  type AuthzClientErrorCode,
  type DeviceLoginOptions,
  type DevicePrompt,
  memoryStore,
} from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import type { TestDevice } from "../support/test-device-grants.js";
import { startTestWorld, type TestWorld } from "../support/test-world.js";

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

interface Refusal {
  name: string;
  code: AuthzClientErrorCode;
  why: string;
  change: (world: TestWorld) => void;
}

const withoutEndpoint = ({ server }: TestWorld): void => {
  server.rewriteMetadata = (document) => {
    delete document.device_authorization_endpoint;
  };
};
const begunWith = (change: (body: Record<string, unknown>) => void) => (w: TestWorld) => {
  w.server.rewriteDeviceAnswer = change;
};
const answeredWith = (error: string) => (w: TestWorld) =>
  w.server.fail("/api/oauth/token", { status: 400, body: { error } });

const refusals: Refusal[] = [
  {
    name: "a person who declines",
    code: "sign_in_denied",
    why: "Ask Aisha.",
    change: (w) => {
      w.server.rewriteDeviceAnswer = () => {
        const [device] = w.server.devices;
        if (device !== undefined) device.answer = "denied";
      };
    },
  },
  {
    name: "a code that expired on the server",
    code: "sign_in_timed_out",
    why: "expired",
    change: answeredWith("expired_token"),
  },
  {
    name: "a code that expired while the server could not be asked",
    code: "sign_in_timed_out",
    why: "expired",
    change: begunWith((body) => {
      body.expires_in = 4;
    }),
  },
  {
    name: "a code the server does not know",
    code: "sign_in_failed",
    why: "invalid_grant",
    change: answeredWith("invalid_grant"),
  },
  {
    name: "a server that does not offer it",
    code: "sign_in_failed",
    why: "device_authorization_endpoint",
    change: withoutEndpoint,
  },
  {
    name: "a client that may not use it",
    code: "sign_in_failed",
    why: "unauthorized_client",
    change: ({ server }) =>
      server.fail("/api/oauth/device_authorization", { status: 400, body: { error: "unauthorized_client" } }),
  },
  {
    name: "a page in plain http elsewhere",
    code: "invalid_answer",
    why: "https address",
    change: begunWith((body) => {
      body.verification_uri = "http://authz.example/device";
    }),
  },
  {
    name: "a page that is a script",
    code: "invalid_answer",
    why: "https address",
    change: begunWith((body) => {
      body.verification_uri_complete = "javascript:alert(1)";
    }),
  },
  {
    name: "an answer without a code",
    code: "invalid_answer",
    why: "user_code",
    change: begunWith((body) => {
      delete body.user_code;
    }),
  },
  {
    name: "a rhythm that is no number",
    code: "invalid_answer",
    why: "interval",
    change: begunWith((body) => {
      body.interval = "5";
    }),
  },
  {
    name: "a token answer without an ID token",
    code: "sign_in_failed",
    why: "ID token",
    change: ({ server }) => {
      server.rewriteTokenAnswer = (body) => {
        delete body.id_token;
      };
    },
  },
];

describe("a sign-in on another device is refused", () => {
  for (const { name, code, why, change } of refusals) {
    it(`for ${name}`, async () => {
      change(world);
      const client = world.client();
      const untouched = (device: TestDevice): void => {
        device.answer ??= "allowed";
      };
      const error = await expectFailure(client.loginWithDevice(personWho(untouched, 0)), code);
      expect(error.message).toContain(why);
      expect(await client.session()).toBeUndefined();
    });
  }
});
