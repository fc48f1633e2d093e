import type { Keyring } from "@authz/client";
import { describe, expect, it } from "vitest";
import {
  answeringWithin,
  askedAgainWhileBusy,
  describeKeyringFailure,
  keyringProblem,
} from "../../src/profile/system-keyring.js";

const forever = async <T>(): Promise<T> => await new Promise<T>(() => undefined);
const working = (): Keyring => {
  const secrets = new Map<string, string>();
  return {
    get: async (account) => secrets.get(account),
    set: async (account, secret) => {
      secrets.set(account, secret);
    },
    remove: async (account) => {
      secrets.delete(account);
    },
  };
};

describe("whether the keyring works", () => {
  const refusing = { ...working(), set: async () => await Promise.reject(new Error("It is locked.")) };
  it.each<[name: string, words: string, keyring: Keyring]>([
    ["refuses", "It is locked.", refusing],
    ["forgets", "It did not return what was written to it.", { ...working(), get: async () => undefined }],
    [
      "never answers",
      "It did not answer within 0.01 seconds.",
      answeringWithin(0.01, { ...working(), set: forever }),
    ],
  ])("is said of one that %s", async (_name, words, keyring) => {
    expect(await keyringProblem(async () => keyring)).toBe(words);
  });

  it("is said of a computer without the module for it", async () => {
    const missing = async (): Promise<Keyring> =>
      await Promise.reject(
        new Error("Cannot find native binding. npm has a bug with optional dependencies."),
      );
    expect(await keyringProblem(missing)).toBe("Its module for this platform is not installed.");
  });

  it("is nothing to speak of when it does, and nothing stays there", async () => {
    const keyring = answeringWithin(60, working());
    expect(await keyringProblem(async () => keyring)).toBeUndefined();
    expect(await keyring.get(`probe-${String(process.pid)}`)).toBeUndefined();
  });
});

describe("a keyring that is busy with other commands", () => {
  const noReply = new Error("Platform failure: DBus error: Did not receive a reply.");
  const failing = (times: number, error: Error): { keyring: Keyring; asked: () => number } => {
    let asked = 0;
    const keyring: Keyring = {
      ...working(),
      get: async () => {
        asked += 1;
        return asked <= times ? await Promise.reject(error) : "secret";
      },
    };
    return { keyring: askedAgainWhileBusy(5, keyring), asked: () => asked };
  };

  it("is asked again until it answers", async () => {
    const { keyring, asked } = failing(2, noReply);
    expect([await keyring.get("main"), asked()]).toEqual(["secret", 3]);
  });

  it("is asked once when it refuses", async () => {
    const { keyring, asked } = failing(1, new Error("Secret Service: object locked"));
    await expect(keyring.get("main")).rejects.toThrow("object locked");
    expect(asked()).toBe(1);
  });

  it("is given up in the end", async () => {
    const keyring = askedAgainWhileBusy(0.2, {
      ...working(),
      remove: async () => await Promise.reject(noReply),
    });
    await expect(keyring.remove("main")).rejects.toThrow("Did not receive a reply");
  });
});

describe("the words of the libraries below the keyring", () => {
  const bus = "Platform failure: DBus error:";
  const storage = "Couldn't access platform storage: Secret Service:";
  const noDesktop = "This terminal belongs to no desktop session, and keyrings run in one.";
  it.each([
    [
      "no session bus",
      `${bus} Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead`,
      noDesktop,
    ],
    [
      "a session bus that has gone",
      `${bus} Failed to connect to socket /run/user/1/bus: No such file or directory`,
      noDesktop,
    ],
    [
      "no keyring on the bus",
      `${bus} The name org.freedesktop.secrets was not provided by any .service files`,
      "No keyring program runs in this desktop session.",
    ],
    ["a locked keyring", `${storage} object locked`, "It is locked."],
    [
      "a question that was closed",
      `${storage} unlock prompt was dismissed`,
      "It is locked, and the question for its password was closed.",
    ],
    [
      "silence",
      `${bus} Did not receive a reply. Possible causes include: the remote application did not send a reply`,
      "It does not answer.",
    ],
    ["something new", "The moon is full.", "The moon is full."],
  ])("are translated: %s", (_name, said, meaning) => {
    expect(describeKeyringFailure(new Error(said))).toBe(meaning);
  });
});
