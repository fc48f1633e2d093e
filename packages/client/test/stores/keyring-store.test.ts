import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Keyring, keyringStore, type SessionStore } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { startTestWorld } from "../support/test-world.js";

/** A keyring in memory that refuses secrets which are too long, and can be locked. */
class TestKeyring implements Keyring {
  readonly secrets = new Map<string, string>();
  longest = 40;
  locked = false;
  /** Fails after so many writes. */
  writesLeft = Number.POSITIVE_INFINITY;

  async get(account: string): Promise<string | undefined> {
    this.#open();
    return this.secrets.get(account);
  }

  async set(account: string, secret: string): Promise<void> {
    this.#open();
    if (secret.length > this.longest) throw new Error("too long");
    if (this.writesLeft === 0) throw new Error("power cut");
    this.writesLeft -= 1;
    this.secrets.set(account, secret);
  }

  async remove(account: string): Promise<void> {
    this.#open();
    this.secrets.delete(account);
  }

  #open(): void {
    if (this.locked) throw new Error("The keyring is locked.");
  }
}

let keyring: TestKeyring;
let store: SessionStore;
let lockPath: string;
beforeEach(async () => {
  lockPath = join(await mkdtemp(join(tmpdir(), "authz-keyring-")), "session.lock");
  keyring = new TestKeyring();
  store = keyringStore({ keyring, account: "session", lockPath, maxSecretLength: 40 });
});

describe("a keyring store", () => {
  it("keeps a short text in one entry and a long one in parts", async () => {
    const texts = ["short", "x".repeat(40), "long ".repeat(30), "longer ".repeat(40), "short again"];
    for (const text of texts) {
      await store.write(text);
      expect(await store.read()).toBe(text);
    }
    expect([...keyring.secrets.keys()]).toEqual(["session"]);
  });

  it("keeps the old text when writing the new one breaks off", async () => {
    const before = "before ".repeat(20);
    await store.write(before);
    for (const writes of [0, 1, 2, 3]) {
      keyring.writesLeft = writes;
      await expectFailure(store.write("after! ".repeat(20)), "store_unavailable");
      keyring.writesLeft = Number.POSITIVE_INFINITY;
      expect(await store.read()).toBe(before);
    }
  });

  it("removes every part", async () => {
    await store.write("long ".repeat(30));
    await store.remove();
    expect([...keyring.secrets]).toEqual([]);
    expect(await store.read()).toBeUndefined();
  });

  it("says so when the keyring is locked", async () => {
    keyring.locked = true;
    const error = await expectFailure(store.read(), "store_unavailable");
    expect(error.message).toContain("The keyring is locked.");
  });

  it("holds a real session", async () => {
    const world = await startTestWorld();
    keyring.longest = 1200;
    const windows = keyringStore({ keyring, account: "session", lockPath, maxSecretLength: 1200 });
    await world.signedIn({ store: windows });
    const client = world.client({ store: windows });
    expect((await client.authorizedFetch(`${world.service.origin}/api`)).status).toBe(200);
    world.clock.advance(301);
    expect((await client.me()).subject).toBe("user-ada");
    await client.logout();
    expect([...keyring.secrets]).toEqual([]);
    await world.close();
  });
});
