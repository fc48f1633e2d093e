import type { Keyring } from "@authz/client";
import { describe, expect, it } from "vitest";
import { answeringWithin, keyringProblem } from "../../src/session/system-keyring.js";

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
      words: "It did not give back what was written to it.",
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
    const missing = async (): Promise<Keyring> => await Promise.reject(new Error("No native binding."));
    expect(await keyringProblem(missing)).toBe("No native binding.");
  });

  it("is nothing to speak of when it does, and nothing stays there", async () => {
    const keyring = answeringWithin(60, working());
    expect(await keyringProblem(async () => keyring)).toBeUndefined();
    expect(await keyring.get(`probe-${String(process.pid)}`)).toBeUndefined();
  });
});
