import { groupSchema, patchOf, userSchema } from "../scim-client.js";
import { inCapitals, listOf, type Row } from "./rows.js";

/**
 * The requests that Okta publishes: the Runscope suites "Okta SCIM 2.0 SPEC Test" and "CRUD Test", and the examples of "Okta and SCIM
 * Version 2.0", for several people.
 */
interface Person {
  readonly tag: string;
  readonly given: string;
  readonly family: string;
  /** Custom apps of the wizard send each change as PUT. */
  readonly puts: boolean;
}

const people: readonly Person[] = [
  { tag: "test", given: "Test", family: "User", puts: false },
  { tag: "ann", given: "Ann", family: "O'Neill", puts: true },
  { tag: "søren", given: "Søren", family: "Ünal", puts: false },
  { tag: "long", given: "X".repeat(100), family: "Y".repeat(100), puts: true },
];

const quoted = (value: string) => `"${encodeURIComponent(value)}"`;
const find = (userName: string) => `/Users?filter=userName eq ${quoted(userName)}&startIndex=1&count=100`;

function usersOf({ tag, given, family, puts }: Person): readonly Row[] {
  const id = tag === "søren" ? "soren" : tag;
  const one = `/Users/{${id}}`;
  const email = `${id}.user@okta.local`;
  const userName = `${tag}.user@okta.local`;
  const displayName = `${given} ${family}`;
  const document = {
    schemas: [userSchema],
    userName,
    name: { givenName: given, familyName: family },
    emails: [{ primary: true, value: email, type: "work" }],
    displayName,
    locale: "en-US",
    externalId: `00ujl29u0le5T6Aj10h7-${id}`,
    groups: [],
    password: "1mz050nq",
    active: true,
  };
  const shown = {
    schemas: [userSchema],
    userName,
    name: { givenName: given, familyName: family },
    displayName,
    active: true,
  };
  const state = { active: true, enabled: true, email, name: displayName, groups: [] };
  const put = (change: object) => ({ ...document, id: `{${id}}`, meta: { resourceType: "User" }, ...change });
  const activate = (active: boolean): Row["send"] =>
    puts ? ["PUT", one, put({ active })] : ["PATCH", one, patchOf({ op: "replace", value: { active } })];
  return [
    {
      step: "Make sure random user doesn't exist",
      send: ["GET", find(userName)],
      status: 200,
      answers: { ...listOf(0), itemsPerPage: 0 },
    },
    {
      step: "Create Okta user with realistic values",
      send: ["POST", "/Users", document],
      status: 201,
      answers: shown,
      lacks: ["password"],
      keep: id,
      people: { [id]: state },
    },
    {
      step: "Verify that user was created",
      send: ["GET", one],
      status: 200,
      answers: { id: `{${id}}`, ...shown },
      lacks: ["password"],
    },
    {
      step: "Expect failure when recreating user with same values",
      send: ["POST", "/Users", { ...document, emails: [{ primary: true, value: userName, type: "work" }] }],
      status: 409,
      answers: { scimType: "uniqueness" },
      people: { [id]: state },
    },
    {
      step: "Username case sensitivity check",
      send: ["GET", find(inCapitals(userName))],
      status: 200,
      answers: listOf(1, { id: `{${id}}` }),
    },
    {
      step: "Test Users endpoint",
      send: ["GET", "/Users?count=1&startIndex=1"],
      status: 200,
      answers: { itemsPerPage: 1, startIndex: 1 },
    },
    {
      step: "Retrieve Users",
      send: ["GET", "/Users?startIndex=1&count=100"],
      status: 200,
      answers: { startIndex: 1 },
    },
    {
      step: "Update a specific User (PUT)",
      send: [
        "PUT",
        one,
        put({
          name: { givenName: "Another", middleName: "Excited", familyName: family },
          displayName: `Another ${family}`,
          emails: [{ primary: true, value: email, type: "work", display: email }],
        }),
      ],
      status: 200,
      answers: { name: { givenName: "Another", familyName: family } },
      people: { [id]: { ...state, name: `Another ${family}` } },
    },
    {
      step: "Verify the update",
      send: ["GET", one],
      status: 200,
      answers: { name: { givenName: "Another" } },
    },
    {
      step: "Sync the password",
      send: ["PATCH", one, patchOf({ op: "replace", value: { password: "verySecure" } })],
      status: 200,
      lacks: ["password"],
      people: { [id]: { active: true, enabled: true } },
    },
    {
      step: "Change the address",
      send: ["PUT", one, put({ emails: [{ primary: true, value: `new.${email}`, type: "work" }] })],
      status: 200,
      answers: { emails: [{ primary: true, value: `new.${email}`, type: "work" }] },
      people: { [id]: { ...state, email: `new.${email}` } },
    },
    {
      step: "Change it back",
      send: ["PUT", one, put({})],
      status: 200,
      answers: shown,
      people: { [id]: state },
    },
    {
      step: "Deactivate the user",
      send: activate(false),
      status: 200,
      answers: { active: false },
      people: { [id]: { ...state, active: false, enabled: false } },
    },
    { step: "Verify the deactivation", send: ["GET", one], status: 200, answers: { active: false } },
    {
      step: "Find the deactivated user",
      send: ["GET", find(userName)],
      status: 200,
      answers: listOf(1, { active: false }),
    },
    {
      step: "Update a deactivated user",
      send: ["PUT", one, put({ active: false, displayName: "Away" })],
      status: 200,
      answers: { active: false, displayName: "Away" },
      people: { [id]: { active: false, enabled: false, name: "Away" } },
    },
    {
      step: "Reactivate the user",
      send: activate(true),
      status: 200,
      answers: { active: true },
      people: { [id]: { active: true, enabled: true } },
    },
    { step: "Verify the reactivation", send: ["GET", one], status: 200, answers: { active: true } },
    {
      step: "Reassign the user",
      send: ["PUT", one, put({})],
      status: 200,
      answers: shown,
      people: { [id]: state },
    },
    {
      step: "Remove the integration",
      send: activate(false),
      status: 200,
      answers: { active: false },
      people: { [id]: { enabled: false } },
    },
    {
      step: "Assign it again",
      send: activate(true),
      status: 200,
      answers: { active: true },
      people: { [id]: { enabled: true, groups: [] } },
    },
  ];
}

const groupTags = ["engineering", "sales", "support", "ops", "legal"];

function groupsOf(tag: string): readonly Row[] {
  const id = `group-${tag}`;
  const one = `/Groups/{${id}}`;
  const displayName = `Test SCIMv2 ${tag}`;
  const renamed = `${displayName}, renamed`;
  const members = (...names: readonly string[]) =>
    names.map((name) => ({ value: `{${name}}`, display: `${name}.user@okta.local` }));
  return [
    {
      step: "Look for the group",
      send: ["GET", `/Groups?filter=displayName eq ${quoted(displayName)}&startIndex=1&count=100`],
      status: 200,
      answers: listOf(0),
    },
    {
      step: "Create a Group",
      send: ["POST", "/Groups", { schemas: [groupSchema], displayName, members: members("test") }],
      status: 201,
      answers: { schemas: [groupSchema], displayName, members: [{ value: "{test}", type: "User" }] },
      keep: id,
      people: { test: { groups: [displayName] }, ann: { groups: [] } },
    },
    {
      step: "Create the same group",
      send: ["POST", "/Groups", { schemas: [groupSchema], displayName, members: [] }],
      status: 409,
      answers: { scimType: "uniqueness" },
    },
    {
      step: "Retrieve Groups",
      send: ["GET", "/Groups?startIndex=1&count=100"],
      status: 200,
      answers: { startIndex: 1 },
    },
    {
      step: "Retrieve specific Group",
      send: ["GET", one],
      status: 200,
      answers: { displayName, members: [{ value: "{test}" }] },
    },
    {
      step: "Update a specific Group name",
      send: ["PATCH", one, patchOf({ op: "replace", value: { id: `{${id}}`, displayName: renamed } })],
      status: 204,
      people: { test: { groups: [renamed] } },
    },
    {
      step: "Update specific Group membership",
      send: [
        "PATCH",
        one,
        patchOf(
          { op: "remove", path: 'members[value eq "{test}"]' },
          { op: "add", path: "members", value: members("ann") },
        ),
      ],
      status: 204,
      people: { test: { groups: [] }, ann: { groups: [renamed] } },
    },
    {
      step: "Add two members",
      send: ["PATCH", one, patchOf({ op: "add", path: "members", value: members("test", "long") })],
      status: 204,
      people: { test: { groups: [renamed] }, ann: { groups: [renamed] }, long: { groups: [renamed] } },
    },
    {
      step: "Replace the members",
      send: ["PATCH", one, patchOf({ op: "replace", path: "members", value: members("soren", "long") })],
      status: 204,
      people: {
        test: { groups: [] },
        ann: { groups: [] },
        soren: { groups: [renamed] },
        long: { groups: [renamed] },
      },
    },
    {
      step: "Update the Group (PUT)",
      send: ["PUT", one, { schemas: [groupSchema], id: `{${id}}`, displayName, members: members("ann") }],
      status: 200,
      answers: { displayName, members: [{ value: "{ann}" }] },
      people: { ann: { groups: [displayName] }, soren: { groups: [] }, long: { groups: [] } },
    },
    {
      step: "Remove all members",
      send: ["PATCH", one, patchOf({ op: "remove", path: "members" })],
      status: 204,
      people: { ann: { groups: [] } },
    },
    {
      step: "Push the members again",
      send: ["PATCH", one, patchOf({ op: "add", path: "members", value: members("ann", "test") })],
      status: 204,
      people: { ann: { groups: [displayName] }, test: { groups: [displayName] } },
    },
    {
      step: "Deactivate a member",
      send: ["PATCH", "/Users/{test}", patchOf({ op: "replace", value: { active: false } })],
      status: 200,
      answers: { active: false },
      people: { test: { enabled: false, groups: [displayName] }, ann: { enabled: true } },
    },
    {
      step: "Activate a member",
      send: ["PATCH", "/Users/{test}", patchOf({ op: "replace", value: { active: true } })],
      status: 200,
      answers: { active: true },
      people: { test: { enabled: true, groups: [displayName] } },
    },
    {
      step: "Add an unknown member",
      send: ["PATCH", one, patchOf({ op: "add", path: "members", value: [{ value: "0" }] })],
      status: 400,
    },
    {
      step: "Delete a specific Group",
      send: ["DELETE", one],
      status: 204,
      people: { ann: { groups: [] }, test: { groups: [] } },
    },
    { step: "Retrieve a deleted Group", send: ["GET", one], status: 404 },
    {
      step: "Look for a deleted group",
      send: ["GET", `/Groups?filter=displayName eq ${quoted(displayName)}`],
      status: 200,
      answers: listOf(0),
    },
  ];
}

export const oktaRows: readonly Row[] = [
  { step: "Verify Groups endpoint", send: ["GET", "/Groups"], status: 200, answers: listOf(0) },
  {
    step: "Test invalid User by username",
    send: ["GET", `/Users?filter=userName eq ${quoted("abcdefgh@okta.local")}`],
    status: 200,
    answers: listOf(0),
  },
  { step: "Test invalid User by ID", send: ["GET", "/Users/010101001010101011001010101011"], status: 404 },
  { step: "Schema of errors", send: ["GET", "/Groups/00919288221112222"], status: 404 },
  ...people.flatMap(usersOf),
  ...groupTags.flatMap(groupsOf),
  ...["?startIndex=1&count=2", "?startIndex=3&count=2", "?startIndex=5&count=2"].map(
    (query, index): Row => ({
      step: "Import page by page",
      send: ["GET", `/Users${query}`],
      status: 200,
      answers: { totalResults: 4, startIndex: 1 + index * 2, itemsPerPage: index === 2 ? 0 : 2 },
    }),
  ),
  ...people.flatMap(({ tag }): readonly Row[] => {
    const id = tag === "søren" ? "soren" : tag;
    return [
      { step: "Delete the user", send: ["DELETE", `/Users/{${id}}`], status: 204, people: { [id]: "gone" } },
      {
        step: "Look for a deleted user",
        send: ["GET", find(`${tag}.user@okta.local`)],
        status: 200,
        answers: listOf(0),
      },
      { step: "Verify the deletion", send: ["GET", `/Users/{${id}}`], status: 404 },
      {
        step: "Deactivate a deleted user",
        send: ["PATCH", `/Users/{${id}}`, patchOf({ op: "replace", value: { active: false } })],
        status: 404,
      },
      {
        step: "Update a deleted user",
        send: [
          "PUT",
          `/Users/{${id}}`,
          { schemas: [userSchema], userName: `${id}.x@okta.local`, active: true },
        ],
        status: 404,
      },
    ];
  }),
];
