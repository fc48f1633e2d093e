import { expect, test } from "vitest";
import { failureOf, healthOf, needsHeartbeat } from "../../src/signals/stream-health.js";

const now = new Date("2026-11-20T12:00:00Z");
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const working = {
  id: "1",
  key: "acme",
  name: "Acme",
  identityProviderId: "2",
  transmitter: "https://idp.example",
  configurationUrl: "https://idp.example/.well-known/ssf-configuration",
  streamId: "s",
  audience: "a",
  delivery: "push",
  pollUrl: null,
  token: Buffer.from("sealed"),
  credentialHash: Buffer.alloc(32),
  opaqueSubjects: "ignored",
  maxAgeSeconds: 3600,
  enabled: true,
  transmitterStatus: "enabled",
  lastReceivedAt: ago(1),
  lastLagSeconds: 1,
  lastRefusedAt: null,
  lastRefusal: null,
  failingSince: null,
  failure: null,
  verificationRequestedAt: ago(1),
  verifiedAt: ago(1),
  reportedAt: null,
  version: 1,
  createdAt: ago(1000),
  updatedAt: ago(1000),
} as const;
type Change = Partial<Parameters<typeof healthOf>[0]>;

test.each<{ name: string; change: Change; health: string }>([
  { name: "nothing changed", change: {}, health: "working" },
  { name: "paused here", change: { enabled: false, failure: "unreachable" }, health: "paused" },
  { name: "paused there", change: { transmitterStatus: "paused" }, health: "paused" },
  { name: "disabled there", change: { transmitterStatus: "disabled" }, health: "paused" },
  { name: "a failing poll", change: { failure: "unreachable" }, health: "failing" },
  {
    name: "a test without its event for ten minutes",
    change: { verificationRequestedAt: ago(1), verifiedAt: ago(2) },
    health: "failing",
  },
  {
    name: "a test that was asked for just now",
    change: { verificationRequestedAt: ago(0.1), verifiedAt: null },
    health: "working",
  },
  { name: "nothing yet", change: { lastReceivedAt: null, createdAt: ago(1) }, health: "waiting" },
  { name: "nothing for two days", change: { lastReceivedAt: ago(48.1) }, health: "silent" },
  {
    name: "nothing ever, for two days",
    change: { lastReceivedAt: null, createdAt: ago(48.1) },
    health: "silent",
  },
  {
    name: "nothing for two days without a token",
    change: { token: null, lastReceivedAt: ago(48.1) },
    health: "working",
  },
  {
    name: "nothing for thirty days without a token",
    change: { token: null, lastReceivedAt: ago(720.1) },
    health: "silent",
  },
])("a stream with $name is $health", ({ change, health }) => {
  expect(healthOf({ ...working, ...change }, now)).toBe(health);
});

test("a missing event is the failure only until it comes", () => {
  const asked = { ...working, verificationRequestedAt: ago(1), verifiedAt: null };
  expect(failureOf(asked, now)).toBe("verification_missing");
  expect(failureOf({ ...asked, verifiedAt: ago(0.5) }, now)).toBeNull();
});

test.each<{ name: string; change: Change; due: boolean }>([
  { name: "asked an hour ago", change: {}, due: false },
  { name: "asked a day ago", change: { verificationRequestedAt: ago(24) }, due: true },
  { name: "never asked", change: { verificationRequestedAt: null }, due: true },
  { name: "without a token", change: { verificationRequestedAt: null, token: null }, due: false },
  { name: "paused", change: { verificationRequestedAt: null, enabled: false }, due: false },
  {
    name: "disabled there",
    change: { verificationRequestedAt: null, transmitterStatus: "disabled" },
    due: false,
  },
])("a verification event of a stream $name is due: $due", ({ change, due }) => {
  expect(needsHeartbeat({ ...working, ...change }, now)).toBe(due);
});
