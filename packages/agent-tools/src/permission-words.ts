import { quoted } from "@authz/skills/invisible";

/** Of what an agent made up, and of what a service has. */
const mostUnknown = 5;
const mostKnown = 50;
const mostOfAName = 80;
/** Longer than administrators may answer. */
const mostOfANote = 500;

/** A rule that gives a permission, or would give it, to the person's address or to a provider's group. */
export type PermissionRule = {
  /** When it ends, as ISO 8601; absent if it never does. */
  readonly until?: string | undefined;
} & (
  | { readonly type: "email"; readonly email: string }
  | { readonly type: "group"; readonly group: string; readonly provider: string }
);

/** A rule of a service that holds calls back; the first that matches a call decides. */
export interface CallRuleAnswer {
  /** Its number, from 1. */
  readonly rule: number;
  /** `ask`, `refuse` or `limit`. */
  readonly outcome: string;
  /** Methods and path; absent: every call that no rule before it decides about. */
  readonly calls?: string | undefined;
  readonly condition?: string | undefined;
  /** The administrator's words. */
  readonly sentence?: string | undefined;
}

/** What a person asked administrators for, and what happened to it. */
export interface AskedAccess {
  readonly state: "pending" | "approved" | "declined" | "withdrawn";
  readonly scopes: readonly string[];
  readonly until?: string | undefined;
  readonly note?: string | undefined;
}

/** Everything that is known about whether a request is allowed. */
export interface PermissionAnswer {
  plan: {
    resource: { name: string; supportedScopes: readonly string[] };
    scopes: readonly string[];
  };
  explanation: {
    allowed: boolean;
    granted: readonly { scope: string; by: readonly PermissionRule[] }[];
    missing: readonly {
      scope: string;
      /** `not_assigned`, `not_supported`, `directory_unavailable`, … */
      reason: string;
      wouldBeGrantedBy: readonly PermissionRule[];
    }[];
    /** Some of those who can give what is missing. */
    administrators: {
      people: readonly { email: string; name: string | undefined }[];
      groups: readonly { group: string; provider: string }[];
    };
    /** Whether the person can ask administrators for any of what is missing. */
    requestable?: boolean | undefined;
    /** The person's pending request there, or the one decided last. */
    request?: AskedAccess | undefined;
    /** Rules that decide about each call, permissions or not. */
    rules?: readonly CallRuleAnswer[] | undefined;
  };
  me: {
    subject: string;
    email: string | undefined;
    name: string | undefined;
    installation: { name: string };
  };
  /** Whether the question named scopes; otherwise these are all of the service's scopes. */
  asked: boolean;
}

/** The answer for a model, which pays for every character: it leaves out what does not apply and says nothing twice. */
export function briefFor(answer: PermissionAnswer): object {
  const { plan, explanation, asked } = answer;
  const { granted, missing } = explanation;
  // Who can ask through us needs no text to send.
  const asks = explanation.requestable === true;
  const message = asks || isAdministrator(answer) ? undefined : messageFor(answer);
  // The address of the person is in the message already.
  const groups = missing.flatMap(({ scope, wouldBeGrantedBy }) =>
    wouldBeGrantedBy
      .filter(({ type }) => type === "group")
      .map((rule) => `${scope}, by ${describeRule(rule)}`),
  );
  const listed = (items: readonly string[]): readonly string[] | undefined =>
    items.length === 0 ? undefined : items;
  const isUnknown = missing.some(({ reason }) => reason === "not_supported");
  return {
    verdict: `${verdict(answer)}${isUnknown ? " Separate with spaces." : ""}`,
    // The message names it, and a caller that can ask has just written its address.
    service: message === undefined && !asks ? plan.resource.name : undefined,
    granted: listed(granted.map(({ scope, by }) => `${scope}, by ${by.map(describeRule).join(" and ")}`)),
    missing: asked ? undefined : listed(missing.map(({ scope }) => scope)),
    otherWays: listed(groups),
    message,
    asked: explanation.request && describeRequest(explanation.request),
    rules: listed((explanation.rules ?? []).map(describeCallRule)),
    next: asks ? "ask" : undefined,
  };
}

/** The answer in one or two sentences. */
export function verdict(answer: PermissionAnswer): string {
  const { plan, explanation, asked } = answer;
  const { resource, scopes } = plan;
  if (explanation.allowed) return `You may do this: you have ${scopes.join(", ")}.`;
  const unknown = explanation.missing.filter(({ reason }) => reason === "not_supported");
  if (unknown.length > 0)
    return describeUnknownScopes(
      unknown.map(({ scope }) => scope),
      resource,
    );
  const lacking = explanation.missing.filter((scope) => !isUndecided(scope));
  if (isAllUndecided(answer)) return undecidedVerdict(explanation.missing);
  const names = namesOf(lacking);
  const is = lacking.length > 1 ? "are" : "is";
  const lead = asked ? `${names} ${is} missing.` : `Of this service's permissions, ${names} ${is} missing.`;
  return `${lead} ${adviceFor(answer)}`;
}

/** That a service has no such scopes, and which it has. */
export function describeUnknownScopes(
  unknown: readonly string[],
  { name, supportedScopes }: PermissionAnswer["plan"]["resource"],
): string {
  const named = firstOf(
    unknown.map((scope) => quoted(scope, 100)),
    mostUnknown,
  );
  const known = firstOf(supportedScopes, mostKnown);
  return `${named} ${unknown.length > 1 ? "are no scopes" : "is no scope"} of ${name}: ${known}.`;
}

/** What to tell the administrator, ready to be passed on; undefined when nothing could be given. */
export function messageFor({ plan, explanation, me }: PermissionAnswer): string | undefined {
  const wanted = explanation.missing.filter(
    (missing) => missing.wouldBeGrantedBy.length > 0 && !isUndecided(missing),
  );
  if (wanted.length === 0) return undefined;
  const permissions = `permission${wanted.length > 1 ? "s" : ""} ${namesOf(wanted)}`;
  return `Please give ${personOf(me)} the ${permissions} for ${plan.resource.name}.`;
}

/** Names the people who can give what is missing, or says what they are if no name is known. */
export function whomToAsk(answer: PermissionAnswer): string | undefined {
  const { explanation, me } = answer;
  if (messageFor(answer) === undefined) return undefined;
  const { people, groups } = explanation.administrators;
  const names = people.map(({ name, email }) =>
    name === undefined ? email : `${quoted(name, mostOfAName)} <${email}>`,
  );
  const members = groups.map(({ group, provider }) => `somebody in the group ${quoted(group)} (${provider})`);
  return [...names, ...members].join(" or ") || `an administrator of ${me.installation.name}`;
}

/** Whether the person who asks is among those who can give permissions. */
export function isAdministrator({ explanation, me }: PermissionAnswer): boolean {
  return explanation.administrators.people.some(({ email }) => email === me.email);
}

/** What happened to a request, in a sentence. */
export function describeRequest({ state, scopes, until, note }: AskedAccess): string {
  const what = `${scopes.join(", ")}: `;
  const quote = note === undefined ? "" : ` They say: ${quoted(note, mostOfANote)}`;
  if (state === "pending") return `${what}asked for, and nobody has decided yet.`;
  if (state === "approved") return `${what}given${until === undefined ? "" : ` until ${until}`}.${quote}`;
  return `${what}${state}.${quote}`;
}

/** A rule as a part of a sentence. */
export function describeRule(rule: PermissionRule): string {
  const ends = rule.until === undefined ? "" : ` until ${rule.until}`;
  return rule.type === "email"
    ? `an assignment to ${rule.email}${ends}`
    : `being in the group ${quoted(rule.group)} (${rule.provider})${ends}`;
}

const ruleWords: Readonly<Record<string, string>> = {
  ask: "needs a person's approval",
  refuse: "is refused",
  limit: "is allowed up to a number",
};

/** A rule of a service in a sentence. */
export function describeCallRule({ rule, outcome, calls, condition, sentence }: CallRuleAnswer): string {
  const about = calls === undefined ? "any other call" : quoted(calls, mostOfANote);
  const when = condition === undefined ? "" : ` when ${quoted(condition, mostOfANote * 2)}`;
  const says = sentence === undefined ? "" : ` The administrator says: ${quoted(sentence, mostOfANote)}`;
  return `Rule ${String(rule)}: ${about}${when} ${ruleWords[outcome] ?? outcome}.${says}`;
}

function adviceFor(answer: PermissionAnswer): string {
  const { explanation, me } = answer;
  const installation = me.installation.name;
  const it = explanation.missing.length > 1 ? "them" : "it";
  if (messageFor(answer) === undefined)
    return `No assignment can give ${it} to you now. Ask an administrator of ${installation}.`;
  const { people, groups } = explanation.administrators;
  if (isAdministrator(answer)) return `You administer ${installation}, so you can give ${it} to yourself.`;
  const names = people.length + groups.length === 0 ? "." : `: ${whomToAsk(answer) ?? ""}.`;
  return `Ask an administrator of ${installation}${names}`;
}

/** Whether everything that is not granted is so because a directory does not answer. */
export function isAllUndecided({ explanation }: PermissionAnswer): boolean {
  return !explanation.allowed && explanation.missing.every(isUndecided);
}

/** Not known at the moment: a group may give it, but its directory does not answer. */
export function isUndecided({ reason }: { reason: string }): boolean {
  return reason === "directory_unavailable";
}

function undecidedVerdict(permissions: readonly { scope: string }[]): string {
  return `Nobody can say at the moment whether you have ${namesOf(permissions)}: a group may give it to you, but its directory does not answer. Try again in a few minutes.`;
}

/** How administrators know a person: by the address, which the provider has verified, before the name, which people choose at many providers. */
export function personOf({ email, name, subject }: Omit<PermissionAnswer["me"], "installation">): string {
  return email ?? (name === undefined ? subject : quoted(name, mostOfAName));
}

function firstOf(items: readonly string[], most: number): string {
  const rest = items.length - most;
  return `${items.slice(0, most).join(", ")}${rest > 0 ? ` and ${String(rest)} more` : ""}`;
}

function namesOf(permissions: readonly { scope: string }[]): string {
  return permissions.map(({ scope }) => scope).join(", ");
}
