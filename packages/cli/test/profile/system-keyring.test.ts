import type { Keyring } from "@authz/client";
import { describe, expect, it } from "vitest";
import { describeKeyringFailure } from "../../src/profile/describe-keyring-failure.js";
import { answeringWithin, askedAgainWhileBusy, keyringProblem } from "../../src/profile/system-keyring.js";

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
  const broken: { name: string; keyring: Keyring; words: string }[] = [
    {
      name: "refuses",
      keyring: { ...working(), set: async () => await Promise.reject(new Error("It is locked.")) },
      words: "It is locked.",
    },
    {
      name: "forgets",
      keyring: { ...working(), get: async () => undefined },
      words: "It did not return what was written to it.",
    },
    {
      name: "never answers",
      keyring: answeringWithin(0.01, { ...working(), set: forever }),
      words: "It did not answer within 0.01 seconds.",
    },
  ];
  for (const { name, keyring, words } of broken) {
    it(`is said of one that ${name}`, async () => {
      expect(await keyringProblem(async () => keyring)).toBe(words);
    });
  }

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
  const failures: { name: string; said: string; meaning: string }[] = [
    {
      name: "no session bus",
      said: "Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead",
      meaning: "This terminal belongs to no desktop session, and keyrings run in one.",
    },
    {
      name: "a session bus that has gone",
      said: "Platform failure: DBus error: Failed to connect to socket /run/user/1/bus: No such file or directory",
      meaning: "This terminal belongs to no desktop session, and keyrings run in one.",
    },
    {
      name: "no keyring on the bus",
      said: "Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files",
      meaning: "No keyring program runs in this desktop session.",
    },
    {
      name: "a locked keyring",
      said: "Couldn't access platform storage: Secret Service: object locked",
      meaning: "It is locked.",
    },
    {
      name: "a question that was closed",
      said: "Couldn't access platform storage: Secret Service: unlock prompt was dismissed",
      meaning: "It is locked, and the question for its password was closed.",
    },
    {
      name: "silence",
      said: "Platform failure: DBus error: Did not receive a reply. Possible causes include: the remote application did not send a reply",
      meaning: "It does not answer.",
    },
    { name: "something new", said: "The moon is full.", meaning: "The moon is full." },
  ];
  it.each(failures)("are translated: $name", ({ said, meaning }) => {
    expect(describeKeyringFailure(new Error(said))).toBe(meaning);
  });
});
