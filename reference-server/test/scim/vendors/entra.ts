import { groupSchema, patchOf, userSchema } from "../scim-client.js";
import { inCapitals, listOf, type Row } from "./rows.js";

/**
 * The requests that Microsoft publishes: "Develop and plan provisioning for a SCIM endpoint" and the SCIM validator. `legacy` is what Entra ID
 * sends without the flag `aadOptscim062020`: operations in capitals, booleans as text, members that leave as values.
 */
interface Flavor {
  readonly legacy: boolean;
  readonly person: Person;
}

interface Person {
  readonly tag: string;
  readonly userName: string;
  readonly email: string;
  readonly given: string;
  readonly family: string;
}

const people: readonly Person[] = [
  {
    tag: "larry",
    userName: "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1",
    email: "Larry.Harris@testuser.com",
    given: "Larry",
    family: "Harris",
  },
  {
    tag: "zoe",
    userName: "zoë.öztürk@testuser.com",
    email: "zoe.oeztuerk@testuser.com",
    given: "Zoë",
    family: "Öztürk",
  },
];

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const operations = ({ legacy }: Flavor) => ({
  add: legacy ? "Add" : "add",
  replace: legacy ? "Replace" : "replace",
  remove: legacy ? "Remove" : "remove",
  no: legacy ? "False" : false,
  yes: legacy ? "True" : true,
});

function usersOf(flavor: Flavor): readonly Row[] {
  const { legacy, person } = flavor;
  const { tag, userName, email, given, family } = person;
  const { add, replace, remove, no, yes } = operations(flavor);
  const id = `${tag}-${legacy ? "old" : "new"}`;
  const name = legacy ? `old.${userName}` : userName;
  const address = legacy ? `old.${email}` : email;
  const moved = `moved.${address}`.toLowerCase();
  const externalId = `0a21f0f2-8d2a-4f8e-bf98-${id}`;
  const one = `/Users/{${id}}`;
  const document = {
    schemas: [userSchema, enterprise],
    externalId,
    userName: name,
    active: true,
    emails: [{ primary: true, type: "work", value: address }],
    meta: { resourceType: "User" },
    name: { formatted: `${given} ${family}`, familyName: family, givenName: given },
    roles: [],
  };
  const shown = {
    schemas: [userSchema],
    externalId,
    userName: name,
    active: true,
    emails: [{ primary: true, type: "work", value: address }],
    name: { formatted: `${given} ${family}`, familyName: family, givenName: given },
    meta: { resourceType: "User" },
  };
  const find = (attribute: string, value: string) =>
    `/Users?filter=${attribute} eq "${encodeURIComponent(value)}"`;
  const state = {
    active: true,
    enabled: true,
    email: address.toLowerCase(),
    name: `${given} ${family}`,
    groups: [],
  };
  return [
    {
      step: "Get user by query, none",
      send: ["GET", find("userName", name)],
      status: 200,
      answers: { ...listOf(0), Resources: [] },
    },
    {
      step: "Create user",
      send: ["POST", "/Users", document],
      status: 201,
      answers: shown,
      keep: id,
      people: { [id]: state },
    },
    {
      step: "Create duplicate user",
      send: ["POST", "/Users", document],
      status: 409,
      answers: { scimType: "uniqueness" },
      people: { [id]: state },
    },
    { step: "Get user", send: ["GET", one], status: 200, answers: { id: `{${id}}`, ...shown } },
    {
      step: "Get user by query",
      send: ["GET", find("userName", name)],
      status: 200,
      answers: listOf(1, { id: `{${id}}`, ...shown }),
    },
    {
      step: "Get user by query, other case",
      send: ["GET", find("userName", inCapitals(name))],
      status: 200,
      answers: listOf(1, shown),
    },
    {
      step: "Get user by external id",
      send: ["GET", find("externalId", externalId)],
      status: 200,
      answers: listOf(1, shown),
    },
    {
      step: "Get user by work address",
      send: ["GET", find('emails[type eq "work"].value', address)],
      status: 200,
      answers: listOf(1, { id: `{${id}}` }),
    },
    {
      step: "Look for a manager",
      send: [
        "GET",
        `/Users?filter=id eq "{${id}}" and manager eq "2819c223-7f76-453a-919d-413861904646"&attributes=id`,
      ],
      status: 200,
      answers: listOf(0),
    },
    { step: "Get unknown user", send: ["GET", "/Users/5171a35d82074e068ce2"], status: 404 },
    {
      step: "Update user, multi-valued properties",
      send: [
        "PATCH",
        one,
        patchOf(
          { op: replace, path: 'emails[type eq "work"].value', value: moved },
          { op: replace, path: "name.familyName", value: "updatedFamilyName" },
        ),
      ],
      status: 200,
      answers: {
        emails: [{ primary: true, type: "work", value: moved }],
        name: { familyName: "updatedFamilyName" },
      },
      people: { [id]: { ...state, email: moved } },
    },
    {
      step: "Update user, single-valued properties",
      send: ["PATCH", one, patchOf({ op: replace, path: "userName", value: `renamed.${name}` })],
      status: 200,
      answers: { userName: `renamed.${name}`, active: true },
    },
    { step: "Former name", send: ["GET", find("userName", name)], status: 200, answers: listOf(0) },
    {
      step: "Update user, several attributes",
      send: [
        "PATCH",
        one,
        legacy
          ? patchOf(
              { op: add, path: "displayName", value: `${given} H.` },
              { op: replace, path: "name.givenName", value: `${given}x` },
            )
          : patchOf({ op: replace, value: { displayName: `${given} H.`, "name.givenName": `${given}x` } }),
      ],
      status: 200,
      answers: {
        displayName: `${given} H.`,
        name: { givenName: `${given}x`, familyName: "updatedFamilyName" },
      },
      people: { [id]: { ...state, email: moved, name: `${given} H.` } },
    },
    {
      step: "Update user, attributes of the enterprise extension",
      send: ["PATCH", one, patchOf({ op: add, path: `${enterprise}:department`, value: "Sales" })],
      status: 200,
      answers: { displayName: `${given} H.` },
      lacks: [enterprise],
    },
    {
      step: "Update manager",
      send: [
        "PATCH",
        one,
        patchOf({ op: add, path: `${enterprise}:manager`, value: [{ $ref: "", value: "x" }] }),
      ],
      status: 200,
      lacks: [enterprise],
    },
    {
      step: "Add a second address",
      send: [
        "PATCH",
        one,
        patchOf({ op: add, path: 'emails[type eq "other"].value', value: `other.${moved}` }),
      ],
      status: 200,
      answers: {
        emails: [
          { value: moved, primary: true },
          { type: "other", value: `other.${moved}` },
        ],
      },
      people: { [id]: { email: moved } },
    },
    {
      step: "Remove an attribute",
      send: ["PATCH", one, patchOf({ op: remove, path: "displayName" })],
      status: 200,
      lacks: ["displayName"],
      people: { [id]: { ...state, email: moved } },
    },
    {
      step: "Disable user",
      send: ["PATCH", one, patchOf({ op: replace, path: "active", value: no })],
      status: 200,
      answers: { active: false },
      people: { [id]: { active: false, enabled: false, email: moved } },
    },
    {
      step: "Get disabled user",
      send: ["GET", one],
      status: 200,
      answers: { active: false, userName: `renamed.${name}` },
    },
    {
      step: "Get disabled user by query",
      send: ["GET", find("userName", `renamed.${name}`)],
      status: 200,
      answers: listOf(1, { active: false }),
    },
    {
      step: "Disable user again",
      send: ["PATCH", one, patchOf({ op: replace, path: "active", value: no })],
      status: 200,
      answers: { active: false },
      people: { [id]: { active: false, enabled: false } },
    },
    {
      step: "Enable user",
      send: ["PATCH", one, patchOf({ op: replace, path: "active", value: yes })],
      status: 200,
      answers: { active: true },
      people: { [id]: { active: true, enabled: true } },
    },
    {
      step: "Disable before removal",
      send: [
        "PATCH",
        one,
        legacy
          ? patchOf({ op: replace, path: "active", value: no })
          : patchOf({ op: replace, value: { active: no } }),
      ],
      status: 200,
      answers: { active: false },
      people: { [id]: { active: false, enabled: false } },
    },
    { step: "Delete user", send: ["DELETE", one], status: 204, people: { [id]: "gone" } },
    { step: "Delete deleted user", send: ["DELETE", one], status: 404 },
    { step: "Get deleted user", send: ["GET", one], status: 404 },
    {
      step: "Patch deleted user",
      send: ["PATCH", one, patchOf({ op: replace, path: "active", value: yes })],
      status: 404,
    },
    {
      step: "Query deleted user",
      send: ["GET", find("userName", `renamed.${name}`)],
      status: 200,
      answers: listOf(0),
    },
    {
      step: "Create user again",
      send: ["POST", "/Users", { ...document, emails: [{ primary: true, type: "work", value: moved }] }],
      status: 201,
      answers: { active: true, userName: name },
      keep: `${id}-again`,
      people: { [`${id}-again`]: { active: true, enabled: true, email: moved, groups: [] } },
    },
  ];
}

function groupsOf(flavor: Flavor): readonly Row[] {
  const { legacy, person } = flavor;
  const { add, replace, remove } = operations(flavor);
  const tag = `${person.tag}-${legacy ? "old" : "new"}`;
  const member = `${tag}-again`;
  const other = `${person.tag === "larry" ? "zoe" : "larry"}-${legacy ? "old" : "new"}-again`;
  const id = `group-${tag}`;
  const one = `/Groups/{${id}}`;
  const displayName = `Sales ${person.family} ${legacy ? "A" : "B"}`;
  const renamed = `${displayName} updatedDisplayName`;
  const externalId = `8aa1a0c0-c4c3-4bc0-b4a5-${tag}`;
  const document = {
    schemas: [groupSchema, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
    externalId,
    displayName,
    meta: { resourceType: "Group" },
  };
  const find = (name: string) =>
    `/Groups?excludedAttributes=members&filter=displayName eq "${encodeURIComponent(name)}"`;
  const values = (...names: readonly string[]) => names.map((name) => ({ $ref: null, value: `{${name}}` }));
  const leave = (name: string) =>
    legacy
      ? { op: remove, path: "members", value: values(name) }
      : { op: remove, path: `members[value eq "{${name}}"]` };
  return [
    {
      step: "Get group by displayName, none",
      send: ["GET", find(displayName)],
      status: 200,
      answers: listOf(0),
    },
    {
      step: "Create group",
      send: ["POST", "/Groups", document],
      status: 201,
      answers: {
        schemas: [groupSchema],
        externalId,
        displayName,
        members: [],
        meta: { resourceType: "Group" },
      },
      keep: id,
    },
    {
      step: "Create duplicate group",
      send: ["POST", "/Groups", document],
      status: 409,
      answers: { scimType: "uniqueness" },
    },
    {
      step: "Get group",
      send: ["GET", `${one}?excludedAttributes=members`],
      status: 200,
      answers: { displayName },
      lacks: ["members"],
    },
    {
      step: "Get group by displayName",
      send: ["GET", find(displayName)],
      status: 200,
      answers: listOf(1, { id: `{${id}}`, displayName }),
    },
    {
      step: "Get group by displayName, other case",
      send: ["GET", find(inCapitals(displayName))],
      status: 200,
      answers: listOf(1, { id: `{${id}}` }),
    },
    {
      step: "Update group, add members",
      send: ["PATCH", one, patchOf({ op: add, path: "members", value: values(member) })],
      status: 204,
      people: { [member]: { groups: [displayName] }, [other]: { groups: [] } },
    },
    {
      step: "Add a member again",
      send: ["PATCH", one, patchOf({ op: add, path: "members", value: values(member) })],
      status: 204,
      people: { [member]: { groups: [displayName] } },
    },
    {
      step: "Query a membership",
      send: ["GET", `/Groups?filter=id eq "{${id}}" and members eq "{${member}}"&attributes=id`],
      status: 200,
      answers: listOf(1, { id: `{${id}}` }),
    },
    {
      step: "Query a membership that is not",
      send: ["GET", `/Groups?filter=id eq "{${id}}" and members eq "{${other}}"&attributes=id`],
      status: 200,
      answers: listOf(0),
    },
    {
      step: "Add two members in two operations",
      send: [
        "PATCH",
        one,
        patchOf(
          { op: add, path: "members", value: values(other) },
          { op: add, path: "members", value: values(member) },
        ),
      ],
      status: 204,
      people: { [member]: { groups: [displayName] }, [other]: { groups: [displayName] } },
    },
    { step: "Get group with members", send: ["GET", one], status: 200, answers: { displayName } },
    {
      step: "Update group, non-member attributes",
      send: [
        "PATCH",
        one,
        legacy
          ? patchOf({ op: replace, path: "displayName", value: renamed })
          : patchOf({ op: replace, value: { displayName: renamed } }),
      ],
      status: 204,
      people: { [member]: { groups: [renamed] }, [other]: { groups: [renamed] } },
    },
    { step: "Former name", send: ["GET", find(displayName)], status: 200, answers: listOf(0) },
    {
      step: "Update group, remove members",
      send: ["PATCH", one, patchOf(leave(member))],
      status: 204,
      people: { [member]: { groups: [] }, [other]: { groups: [renamed] } },
    },
    {
      step: "Remove a member again",
      send: ["PATCH", one, patchOf(leave(member))],
      status: 204,
      people: { [member]: { groups: [] } },
    },
    {
      step: "Add an unknown member",
      send: ["PATCH", one, patchOf({ op: add, path: "members", value: [{ value: "f648f8d5ea4e4cd38e9c" }] })],
      status: 400,
      answers: { scimType: "invalidValue" },
      people: { [other]: { groups: [renamed] } },
    },
    {
      step: "Disable a member",
      send: [
        "PATCH",
        `/Users/{${other}}`,
        patchOf({ op: replace, path: "active", value: operations(flavor).no }),
      ],
      status: 200,
      people: { [other]: { enabled: false, groups: [renamed] } },
    },
    {
      step: "Enable a member",
      send: [
        "PATCH",
        `/Users/{${other}}`,
        patchOf({ op: replace, path: "active", value: operations(flavor).yes }),
      ],
      status: 200,
      people: { [other]: { enabled: true, groups: [renamed] } },
    },
    { step: "Delete group", send: ["DELETE", one], status: 204, people: { [other]: { groups: [] } } },
    { step: "Delete deleted group", send: ["DELETE", one], status: 404 },
    { step: "Query deleted group", send: ["GET", find(renamed)], status: 200, answers: listOf(0) },
  ];
}

const flavors = [true, false].flatMap((legacy) => people.map((person) => ({ legacy, person })));

export const entraRows: readonly Row[] = [
  {
    step: "Test connection",
    send: ["GET", '/Users?filter=userName eq "non-existent user"'],
    status: 200,
    answers: listOf(0),
  },
  {
    step: "Discover schema",
    send: ["GET", "/Schemas"],
    status: 200,
    answers: listOf(2, { id: userSchema }, { id: groupSchema }),
  },
  { step: "Discover resource types", send: ["GET", "/ResourceTypes"], status: 200, answers: listOf(2) },
  {
    step: "Discover what is supported",
    send: ["GET", "/ServiceProviderConfig"],
    status: 200,
    answers: { patch: { supported: true }, filter: { supported: true }, etag: { supported: true } },
  },
  ...flavors.flatMap(usersOf),
  ...flavors.flatMap(groupsOf),
];
