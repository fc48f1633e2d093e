import { createNonceSource, type NonceSourceOptions } from "@authz/dpop";
import { describe, expect, test } from "vitest";

const secret = "0123456789abcdef0123456789abcdef";

function createClock(startSeconds = 1_800_000_000) {
  let seconds = startSeconds;
  return { clock: () => seconds * 1000, advance: (by: number) => (seconds += by) };
}

test("a nonce is accepted for at least half its lifetime and never after all of it", () => {
  for (let offset = 0; offset < 300; offset += 7) {
    const { clock, advance } = createClock(1_800_000_000 + offset);
    const nonces = createNonceSource({ secret, clock });
    const nonce = nonces.current();
    advance(150);
    expect(nonces.accepts(nonce)).toBe(true);
    advance(150);
    expect(nonces.accepts(nonce)).toBe(false);
  }
});

test("processes with the same secret accept each other's nonces, also when one clock is ahead", () => {
  const behind = createNonceSource({ secret, clock: () => 1_800_000_000_000 });
  const ahead = createNonceSource({ secret: Buffer.from(secret), clock: () => 1_800_000_149_000 + 10_000 });
  expect(behind.accepts(ahead.current())).toBe(true);
  expect(ahead.accepts(behind.current())).toBe(true);
});

test.each<[string, NonceSourceOptions]>([
  ["another secret", { secret: secret.toUpperCase() }],
  ["another lifetime", { secret, lifetimeSeconds: 600 }],
])("a source with %s has other nonces", (_, options) => {
  const { clock } = createClock();
  const nonce = createNonceSource({ ...options, clock }).current();
  expect(createNonceSource({ secret, clock }).accepts(nonce)).toBe(false);
});

test("a nonce fits into a header and says nothing about the secret or the time", () => {
  const { clock } = createClock();
  expect(createNonceSource({ secret, clock }).current()).toMatch(/^[\w-]{43}$/);
});

test("an empty text is no nonce", () => {
  expect(createNonceSource({ secret }).accepts("")).toBe(false);
});

describe("misuse is a TypeError that names the option", () => {
  test.each<[string, unknown, string]>([
    ["no secret", {}, "secret"],
    ["a short secret", { secret: "short" }, "32 bytes"],
    ["a secret that is a number", { secret: 1 }, "secret"],
    ["a lifetime of nothing", { secret, lifetimeSeconds: 0 }, "lifetimeSeconds"],
    ["an unknown option", { secret, lifetime: 300 }, '"lifetime"'],
    ["a clock that is a Date", { secret, clock: new Date() }, "clock"],
  ])("%s", (_, options, message) => {
    const create = () => createNonceSource(options as NonceSourceOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});
