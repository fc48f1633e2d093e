import { expect, test } from "vitest";
import { effectiveScopes } from "../../src/permissions/effective-scopes.js";
import { decide } from "../../src/permissions/decide.js";
import type { PermissionRecords } from "../../src/store/token-requests.js";
import { type PermissionSources, resolvePermissions } from "../../src/permissions/load-permissions.js";
import type { GroupAssignment } from "../../src/store/assignments.js";
import type { Store } from "../../src/store/store.js";

const user = { id: "u1", email: "ada@acme.example", name: "Ada", enabled: true, pausedAt: null };
const provider = (type: "claim" | "directory", id: string) => ({ id, key: id, name: id.toUpperCase(), type });

function ofGroup(id: string, from: ReturnType<typeof provider>, key: string, scope: string): GroupAssignment {
  return { id, group: { provider: from, key }, scope };
}

const hr = provider("directory", "hr");
const legal = provider("directory", "legal");
const records: PermissionRecords = {
  user,
  rules: [
    { id: "a1", email: user.email, scope: "contracts:read" },
    ofGroup("a2", provider("claim", "acme"), "sales", "contracts:write"),
  ],
  directories: ["hr", "legal"],
  unavailable: [],
  presenceDueAt: null,
};
const ofDirectories = [
  ofGroup("a3", hr, "staff", "contracts:read"),
  ofGroup("a4", hr, "managers", "contracts:approve"),
  ofGroup("a5", legal, "counsel", "contracts:sign"),
];

/** Directories that say this, and nothing about whom they do not list; `asked` tells who and what was asked. */
function sources(
  answers: Readonly<Record<string, readonly string[]>>,
  asked: string[] = [],
): PermissionSources {
  const assignments: Pick<Store["assignments"], "listOfGroups" | "sampleByScope"> = {
    listOfGroups: async (groups) => {
      asked.push(
        ...groups.flatMap(({ providerId, keys }) => keys.map((key) => `rules of ${providerId} ${key}`)),
      );
      return ofDirectories.filter(({ group }) =>
        groups.some(({ providerId, keys }) => providerId === group.provider.id && keys.includes(group.key)),
      );
    },
    sampleByScope: async (ids) => {
      asked.push(...ids.map((id) => `some rules of ${id}`));
      return ofDirectories.filter(({ group }) => ids.includes(group.provider.id));
    },
  };
  return {
    store: { assignments: assignments as Store["assignments"] },
    directories: {
      groupsOf: async (id, email) => {
        asked.push(`${id} ${email}`);
        return answers[id] && new Set(answers[id]);
      },
    },
  };
}

test("the union holds of address, claimed groups, and groups that a directory confirms", async () => {
  const asked: string[] = [];
  const permissions = await resolvePermissions(records, sources({ hr: ["staff"], legal: [] }, asked));
  expect([...effectiveScopes(permissions)]).toEqual(["contracts:read", "contracts:write"]);
  expect(permissions.undecided).toEqual([]);
  expect(asked).toEqual(["hr ada@acme.example", "legal ada@acme.example", "rules of hr staff"]);
});

test("the explanation names each rule: the address, and the group with its provider", async () => {
  const permissions = await resolvePermissions(records, sources({ hr: ["staff"], legal: [] }));
  const { granted, missing } = decide({
    permissions,
    scopes: ["contracts:read", "contracts:write", "contracts:sign"],
  });
  expect(granted).toEqual([
    {
      scope: "contracts:read",
      by: [
        { type: "email", assignmentId: "a1", email: "ada@acme.example" },
        { type: "group", assignmentId: "a3", group: { key: "staff", provider: { key: "hr", name: "HR" } } },
      ],
    },
    {
      scope: "contracts:write",
      by: [
        {
          type: "group",
          assignmentId: "a2",
          group: { key: "sales", provider: { key: "acme", name: "ACME" } },
        },
      ],
    },
  ]);
  expect(missing).toMatchObject([{ scope: "contracts:sign", reason: "not_assigned" }]);
});

test("a directory that cannot say grants nothing, and is named as the reason where it matters", async () => {
  const permissions = await resolvePermissions(records, sources({ hr: ["managers"] }));
  expect([...effectiveScopes(permissions)]).toEqual([
    "contracts:read",
    "contracts:write",
    "contracts:approve",
  ]);
  expect(decide({ permissions, scopes: ["contracts:sign", "contracts:delete"] }).missing).toEqual([
    {
      scope: "contracts:sign",
      reason: "directory_unavailable",
      wouldBeGrantedBy: { type: "email", email: user.email, scope: "contracts:sign" },
      undecided: [{ key: "counsel", provider: { key: "legal", name: "LEGAL" } }],
    },
    {
      scope: "contracts:delete",
      reason: "not_assigned",
      wouldBeGrantedBy: { type: "email", email: user.email, scope: "contracts:delete" },
    },
  ]);
});

test("no more is queried for a person in no group of a directory", async () => {
  const asked: string[] = [];
  const permissions = await resolvePermissions(records, sources({ hr: [], legal: [] }, asked));
  expect(permissions.assignments).toEqual(records.rules);
  expect(asked).toEqual(["hr ada@acme.example", "legal ada@acme.example"]);
});

test.each([
  { name: "a disabled person", change: { enabled: false } },
  { name: "a person whose address went to somebody else", change: { email: null } },
])("nothing is held by $name, and no directory is asked", async ({ change }) => {
  const asked: string[] = [];
  const stored = { ...records, user: { ...user, ...change } };
  const permissions = await resolvePermissions(stored, sources({ hr: ["staff"] }, asked));
  expect(effectiveScopes(permissions).size).toBe(0);
  expect(asked).toEqual([]);
});
