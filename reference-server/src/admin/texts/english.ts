import type { Language } from "../../text/texts.js";
import { checksEnglish } from "./checks-english.js";
import { fieldsEnglish } from "./fields-english.js";

/** The sentences of the admin API in English; `german.ts` has the same in German. */
export const english = {
  language: "en" as Language,
  fields: fieldsEnglish,
  /** What a layer below said, which is English there. */
  below: (message: string) => message,
  ...checksEnglish,
  refusals: {
    request: (place: string, fault: string, more: number) =>
      `${place === "" ? "The request" : `"${place}"`} ${fault}${more > 0 ? ` (and ${more} more)` : ""}.`,
    notFound: (what: string) => `There is no ${what}. Somebody may have removed it.`,
    noAddress: "There is nothing at this address.",
    loginRequired: "Nobody is signed in here, or the session has ended. Sign in again.",
    notAllowed: (scope: string) => `The permission ${scope} is missing. Ask an administrator for it.`,
    foreignPage:
      "The request does not come from the console of this server, or its token is not of this session. Load the page again.",
    browserOnly: "This is for people in a browser; a machine has no use for it.",
    noIfMatch: "The header If-Match is missing. Send the ETag of the object that you saw.",
    badIfMatch: 'The header If-Match must be one ETag, such as "3".',
    outdated: "Somebody else has changed this in the meantime. Look at it as it is now, and decide again.",
    notJson: "The body is not JSON, or names a member twice.",
    sendJson: "Send the body as application/json.",
    sendFile: (types: readonly string[]) => `Send the file as ${types.join(" or ")}.`,
    emptyFile: "The file is empty.",
    tooLarge: "The body is too large.",
    lastAdministrator: (scope: string) =>
      `Afterwards nobody who can sign in would have ${scope}. Give it to somebody else first, by their e-mail address.`,
    lastProvider: (name: string) =>
      `Nobody could sign in without ${name}: it is the last provider that works. Add or enable another one first.`,
    taken: {
      scope: (key: string) => `There is a scope "${key}" already.`,
      resource: (key: string) => `There is a resource "${key}" already.`,
      client: (id: string) => `There is a client "${id}" already. Choose another id.`,
      groupProvider: (key: string) => `There is a group provider "${key}" already. Choose another key.`,
      identityProvider: (key: string) =>
        `There is an identity provider "${key}" already. Choose another key.`,
      skill: (id: string) => `There is a skill "${id}" already.`,
      connector: (key: string) => `There is a connector "${key}" already. Choose another key.`,
      assignment: (email: string | undefined, group: string, scope: string) =>
        `${email ?? `the group ${group}`} has ${scope} by an assignment already.`,
      groups: (provider: string, other: string) =>
        `The groups of "${provider}" already belong to "${other}".`,
    },
    full: {
      identityProviders: (most: number) => `There can be ${most} identity providers.`,
      groupProviders: (most: number) => `There can be ${most} group providers.`,
      connectors: (most: number) => `There can be ${most} connectors.`,
      skills: (most: number) =>
        `The installation has ${most} skills, and there is no room for more. Remove one first.`,
    },
    systemScope: (key: string) => `"${key}" belongs to the server itself. It cannot be changed or removed.`,
    builtInClient: (id: string) => `"${id}" is part of every installation and cannot be changed or removed.`,
    scopeInUse: (key: string, uses: ScopeUsers) =>
      `"${key}" is in use by ${listUses(uses)}. Take it away there first.`,
    clientInUse: (id: string, devices: number) =>
      `${devices === 1 ? "1 device is" : `${devices} devices are`} logged in with "${id}". Sign them out first, or disable the client instead.`,
    connectorInUse: (key: string, people: number, disconnecting: number) =>
      people === 0
        ? `${disconnecting === 1 ? "1 account is" : `${disconnecting} accounts are`} still being disconnected from "${key}". Wait until that is done.`
        : `${people === 1 ? "1 person has" : `${people} people have`} an account connected at "${key}". Disconnect everybody first, or disable the connector instead.`,
    disconnecting:
      "This account is being disconnected at this moment, or it could not be finished. The server goes on with it by itself.",
    /** Why nothing of a connector can be sealed, and what to do; the problem is as the key's own place says it. */
    connectorKey: {
      not_configured: (problem: string) => problem,
      malformed: (problem: string) =>
        `${problem} authz-server secrets prints a key in the right form. Set it, and start the server again.`,
      unknown_key: (problem: string) => problem,
      unreadable: (problem: string) => problem,
      unavailable: (problem: string) => problem,
    },
    groupsInUse: (key: string, assignments: number, scopes: readonly string[]) =>
      `${assignments === 1 ? "1 assignment gives" : `${assignments} assignments give`} ${scopes.slice(0, 5).join(", ")}${scopes.length > 5 ? " and more" : ""} to groups of "${key}". Remove them first, or disable the provider instead.`,
    groupsTaken: (provider: string, groupProvider: string) =>
      `The group provider "${groupProvider}" takes its groups from "${provider}". Remove it first.`,
    catalogBusy: (resource: string) =>
      `The catalog of "${resource}" is being fetched at this moment. Look again in a few seconds.`,
    signingKey: {
      tooEarly: (from: string) =>
        `This key may sign from ${from} on: until then some services have not seen it and would refuse what it signs. Do not wait only when the active key is in wrong hands.`,
      activeAlready: "This is the active key already.",
      retiredForGood: "This key is retired, and a retired key never signs again. Stage a new one.",
      stillActive: "This is the active key. Activate another one, which retires it.",
      retiredAlready: "This key is retired already.",
      retiredUntil: (until: string) =>
        `This key is retired already. It is in the key set until ${until}; take it out earlier only when it is in wrong hands.`,
    },
  },
  /** What is not there, behind "There is no". */
  things: {
    scope: (key: string) => `scope "${key}"`,
    resource: (key: string) => `resource "${key}"`,
    publishingResource: (key: string) => `enabled resource "${key}" whose skills are discovered`,
    assignment: "assignment with this id",
    person: "person with this id",
    session: "live session with this id",
    logIn: "live log-in with this id",
    client: (id: string) => `client "${id}"`,
    groupProvider: (key: string) => `group provider "${key}"`,
    identityProvider: (key: string) => `identity provider "${key}"`,
    signingKey: (kid: string) => `signing key "${kid}"`,
    skill: (id: string) => `skill "${id}"`,
    connector: (key: string) => `connector "${key}"`,
    connection: "connection with this id",
    auditEvent: (id: string) => `audit event ${id}`,
  },
  /** What a preview says beside who gains and who loses. */
  notes: {
    strangers: (emails: readonly string[]) =>
      `${nameThree(emails)}: has never signed in: it counts from the first sign-in on.`,
    shutOut: (emails: readonly string[]) =>
      `${nameThree(emails)}: cannot sign in: no sign-in provider lets the domain in.`,
    strangeGroups: (groups: readonly string[]) =>
      `${nameThree(groups)}: neither a sign-in nor another assignment has named this group so far. Check the spelling: it counts only for a group of exactly this name.`,
    disabled: (emails: readonly string[]) =>
      `${nameThree(emails)}: is disabled, so it counts only when the person is enabled again.`,
    sessionsEnd: (count: number) => `${count} browser session${count === 1 ? "" : "s"} will end.`,
    devicesEnd: (count: number) => `${count} device${count === 1 ? "" : "s"} will be signed out.`,
    compared: (compared: number, all: number) => `Only the first ${compared} of ${all} scopes were compared.`,
    signInLost: (people: number, provider: string) =>
      `${people === 1 ? "1 person signs" : `${people} people sign`} in at ${provider} only, and could no longer do so.`,
    accountsForgotten: (people: number, provider: string) =>
      `${people === 1 ? "1 person has an account" : `${people} people have accounts`} at ${provider}. At another issuer these are forgotten, and people are recognized by their verified e-mail address.`,
    providerSessionsEnd: (count: number) =>
      `${count} browser session${count === 1 ? "" : "s"} that began there will end.`,
    keySigns: (kid: string) => `${kid} would sign.`,
    keyStaysStaged: (kid: string) => `${kid} would stay staged.`,
    keyRetires: (kid: string, until: string) =>
      `${kid} would sign no more, and stay in the key set until ${until}.`,
    connectionsCount: (people: number) =>
      `${people === 1 ? "1 person has" : `${people} people have`} an account connected here.`,
    connectionsStop: (people: number) =>
      `${people === 1 ? "1 person" : `${people} people`} could no longer use the connected account; it stays connected.`,
    connectAgain: (people: number) =>
      `${people === 1 ? "1 person has" : `${people} people have`} to connect again: the tokens belong to another client.`,
    newAddresses: (prefixes: readonly string[]) =>
      `Agents could send requests with people's accounts to ${prefixes.join(", ")} as well.`,
    newOrigins: (origins: readonly string[]) =>
      `Nothing is sent to ${origins.join(", ")} for whoever is connected now, until that person connects again.`,
    newMethods: (methods: readonly string[]) => `Agents could use ${methods.join(", ")} as well.`,
    newRequirements: (scopes: readonly string[]) =>
      `Whoever does not have ${scopes.join(", ")} could no longer use the connected account.`,
    newMandatory: (scopes: readonly string[]) =>
      `${scopes.join(", ")}: would be required. Whoever has left it out has to connect again.`,
    disconnected: (people: number) =>
      `${people === 1 ? "1 account" : `${people} accounts`} would be disconnected: the tokens are revoked at the third party where it can do that, and deleted here.`,
    audienceGone: (before: number) => `${countPeople(before)} would no longer see it.`,
    audienceNew: (after: number) => `${countPeople(after)} could see it.`,
    audienceSame: (after: number) => `${countPeople(after)} can see it, as before.`,
    audienceOther: (after: number, before: number) =>
      `${countPeople(after)} could see it; before, it was ${before}.`,
  },
};

/** What uses a scope. */
export interface ScopeUsers {
  readonly assignments: number;
  readonly resources: readonly string[];
  readonly machineClients: readonly string[];
  readonly connectors: readonly string[];
  readonly skills: readonly string[];
}

function countPeople(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}

/** More names make no sentence clearer. */
function nameThree(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${names.slice(0, 3).join(", ")}${more}`;
}

function listUses({ assignments, resources, machineClients, connectors, skills }: ScopeUsers): string {
  const kinds = {
    resource: resources,
    "machine client": machineClients,
    connector: connectors,
    skill: skills,
  };
  return [
    ...(assignments === 0 ? [] : [`${assignments} assignment${assignments === 1 ? "" : "s"}`]),
    ...Object.entries(kinds).flatMap(([kind, names]) =>
      names.length === 0 ? [] : [`the ${kind}${names.length === 1 ? "" : "s"} ${nameThree(names)}`],
    ),
  ].join(", ");
}
