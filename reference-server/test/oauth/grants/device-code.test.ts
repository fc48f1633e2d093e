import { describe, expect, test } from "vitest";
import { decideDevice } from "../../../src/oauth/grants/device-code.js";
import type { Permissions } from "../../../src/permissions/effective-scopes.js";
import type { DeviceAuthorization } from "../../../src/store/device-authorizations.js";
import {
  client,
  decisionContext,
  describeVerdict,
  jkt,
  personRecord,
  secondsAgo,
  userId,
} from "../../support/records.js";

const input = { deviceCode: "code", resource: undefined, deviceName: null };
const allowed = { kind: "allowed", userId, authTime: secondsAgo(60), amr: [] } as const;

function deviceRecord(change: Partial<DeviceAuthorization> = {}): DeviceAuthorization {
  return {
    id: "d",
    deviceCodeHash: Buffer.alloc(32),
    userCodeHash: Buffer.alloc(32),
    clientId: client.id,
    resourceId: null,
    scopes: ["openid", "authz:login"],
    dpopJkt: jkt,
    createdAt: secondsAgo(60),
    expiresAt: secondsAgo(-540),
    intervalSeconds: 5,
    answer: allowed,
    usedAt: null,
    ...change,
  };
}

interface Row {
  readonly name: string;
  readonly stopped?: boolean;
  readonly device?: Partial<DeviceAuthorization>;
  readonly person?: Permissions | undefined;
  readonly key?: string;
  readonly outcome: string;
}

const rows: readonly Row[] = [
  { name: "an allowed device", outcome: "permit openid authz:login" },
  { name: "an unanswered device", device: { answer: null }, outcome: "wait" },
  {
    name: "a device of another client",
    device: { clientId: "other" },
    outcome: "refuse invalid_grant foreign_client",
  },
  { name: "another key", key: "other", outcome: "refuse invalid_grant wrong_key" },
  {
    name: "a waiting device with another key",
    device: { answer: null },
    key: "other",
    outcome: "refuse invalid_grant wrong_key",
  },
  {
    name: "a denied device",
    device: { answer: { kind: "denied", userId } },
    outcome: "refuse access_denied device_denied",
  },
  {
    name: "a denied device that is too old",
    device: { answer: { kind: "denied", userId: null }, expiresAt: secondsAgo(1) },
    outcome: "refuse access_denied device_denied",
  },
  {
    name: "a waiting device that is too old",
    device: { answer: null, expiresAt: secondsAgo(0) },
    outcome: "refuse expired_token device_code_expired",
  },
  {
    name: "an allowed device that is too old",
    device: { expiresAt: secondsAgo(0) },
    outcome: "refuse expired_token device_code_expired",
  },
  {
    name: "a device that has its tokens",
    device: { usedAt: secondsAgo(5) },
    outcome: "refuse invalid_grant device_code_reused",
  },
  { name: "an unknown person", person: undefined, outcome: "refuse invalid_grant unknown_user" },
  {
    name: "a paused person",
    person: personRecord(["authz:login"], true, new Date(0)),
    outcome: "refuse access_denied user_paused",
  },
  { name: "what is stopped", stopped: true, outcome: "refuse access_denied stopped" },
  {
    name: "a disabled person",
    person: personRecord(["authz:login"], false),
    outcome: "refuse invalid_grant user_disabled",
  },
  {
    name: "a person who has lost the permission",
    person: personRecord([]),
    outcome: "refuse invalid_grant login_permission_missing",
  },
];

describe("the decision over a device code", () => {
  test.each(rows)("$name: $outcome", (row) => {
    const person = "person" in row ? row.person : personRecord();
    const verdict = decideDevice(
      { device: deviceRecord(row.device), person, resource: undefined, stopped: row.stopped === true },
      input,
      decisionContext(row.key),
    );
    expect(describeVerdict(verdict, ({ device }) => device.scopes.join(" "))).toBe(row.outcome);
  });

  test("an unknown code: refuse", () => {
    const verdict = decideDevice(
      { device: undefined, person: undefined, resource: undefined, stopped: false },
      input,
      decisionContext(),
    );
    expect(describeVerdict(verdict, String)).toBe("refuse invalid_grant unknown_device_code");
  });

  test("a code that is bound to no key needs no proof, a bound one does", () => {
    const context = { ...decisionContext(), proof: undefined };
    const person = personRecord();
    const unbound = decideDevice(
      { device: deviceRecord({ dpopJkt: null }), person, resource: undefined, stopped: false },
      input,
      context,
    );
    expect(unbound.kind).toBe("permit");
    const bound = decideDevice(
      { device: deviceRecord(), person, resource: undefined, stopped: false },
      input,
      context,
    );
    expect(describeVerdict(bound, String)).toBe("refuse invalid_dpop_proof missing_proof");
  });
});
