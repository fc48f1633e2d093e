import { remoteServer } from "@authz/agent-tools/hosts";
import { missingPermissions } from "../../connectors/connect/requirements.js";
import type { AgentsSection } from "../../pages/agents-section.js";
import type { ConnectionItem } from "../../pages/connections-section.js";
import { peopleToAsk } from "../../pages/fragments.js";
import type { HeldPermission, HeldService, PermissionsSection } from "../../pages/permissions-section.js";
import type { NamedRequest } from "../../pages/ask-section.js";
import type { SkillsSection } from "../../pages/skills-section.js";
import { type Decision, decide, type GrantedScope } from "../../permissions/decide.js";
import { effectiveScopes, type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import { paths } from "../../protocol/vocabulary.js";
import { listVisibleSkills } from "../../skills/visible-skills.js";
import type { AccessRequest } from "../../store/access-requests.js";
import type { AssignedPerson } from "../../store/assignments.js";
import type { Store } from "../../store/store.js";
import { administerScope, agentsScope } from "../../store/system-scopes.js";
import { isRequestable } from "../access-requests/ask.js";

/** Longer lists are cut. */
const maximumServices = 100;
const maximumSkills = 200;
/** Enough to find the last answers. */
const maximumRequests = 10;

/** What a person may do now, as the registry describes it, and where they can ask for more. */
export async function loadPermissionsSection(
  permissions: Permissions,
  store: Pick<Store, "resources" | "scopes">,
): Promise<PermissionsSection> {
  const held = effectiveScopes(permissions);
  const known = new Map((await store.scopes.findAll([...held])).map((scope) => [scope.key, scope]));
  const inWords = ({ scope: key, by }: GrantedScope): HeldPermission => {
    const until = lastEnd(by);
    return { key, description: known.get(key)?.description ?? key, ...(until && { until }) };
  };
  const places = (await store.resources.listEnabled())
    .filter(({ builtIn }) => !builtIn)
    .map((resource) => {
      const decision = decide({ permissions, resource, scopes: resource.supportedScopes });
      return { key: resource.key, name: resource.name, decision };
    });
  const services: readonly HeldService[] = places
    .filter(({ decision }) => decision.granted.length > 0)
    .map(({ key, name, decision }) => ({
      key,
      name,
      scopes: decision.granted.map(inWords),
      lacks: isAskable(decision),
    }));
  const others = places.filter(({ decision }) => decision.granted.length === 0 && isAskable(decision));
  const own = [...held].filter((key) => known.get(key)?.system === true).sort();
  const silent = permissions.undecided.map(({ group }) => group.provider.name);
  return {
    own: decide({ permissions, scopes: own }).granted.map(inWords),
    services: services.slice(0, maximumServices),
    moreServices: Math.max(services.length - maximumServices, 0),
    others: others.slice(0, maximumServices).map(({ key, name }) => ({ key, name })),
    silentDirectories: [...new Set(silent)],
  };
}

function isAskable({ missing }: Pick<Decision, "missing">): boolean {
  return missing.some(isRequestable);
}

/** Administrators who can give a permission that a page needs; `undefined` when the person has it, or may have it. */
export async function loadPeopleToAsk(
  scope: string,
  permissions: Permissions,
  { assignments }: Pick<Store, "assignments">,
): Promise<readonly AssignedPerson[] | undefined> {
  const held = effectiveScopes(permissions).has(scope) || undecidedScopes(permissions).has(scope);
  return held ? undefined : await assignments.listPeopleByScope(administerScope, peopleToAsk);
}

/** When the last of these rules ends; `undefined`: one never does. */
export function lastEnd(by: GrantedScope["by"]): Date | undefined {
  const ends = by.map(({ until }) => until);
  if (ends.length === 0 || ends.includes(undefined)) return undefined;
  return new Date(Math.max(...ends.map((end) => Date.parse(end ?? ""))));
}

/** The last access requests of a person, the pending ones first. */
export async function loadRequests(
  userId: string,
  store: Pick<Store, "accessRequests" | "connectors" | "resources">,
): Promise<readonly NamedRequest[]> {
  const requests = await store.accessRequests.listOwn(userId, maximumRequests);
  return await Promise.all(
    requests.map(async (request) => ({ name: await nameOf(request, store), request })),
  );
}

async function nameOf(
  { kind, target }: Pick<AccessRequest, "kind" | "target">,
  { connectors, resources }: Pick<Store, "connectors" | "resources">,
): Promise<string | undefined> {
  if (kind === "installation") return undefined;
  const found = await (kind === "service" ? resources : connectors).findByKey(target);
  return found?.name ?? target;
}

/** Whether the address for agents is enabled. */
export async function takesAgents(issuer: string, { resources }: Pick<Store, "resources">): Promise<boolean> {
  return (await resources.findByIdentifier(remoteServer(issuer).url))?.enabled === true;
}

/** What a person needs to connect an agent; `undefined` while the address for agents is disabled. */
export async function loadAgentsSection(
  permissions: Permissions,
  { store, issuer }: { readonly store: Pick<Store, "assignments" | "resources">; readonly issuer: string },
): Promise<AgentsSection | undefined> {
  if (!(await takesAgents(issuer, store))) return undefined;
  return { issuer, askForAgents: await loadPeopleToAsk(agentsScope, permissions, store) };
}

/** The skills that a person may see, by publisher. */
export async function loadSkillsSection(
  permissions: Permissions,
  {
    store,
    installationName,
    now,
  }: {
    readonly store: Pick<Store, "ownSkills" | "resources" | "settings" | "skillCatalogs">;
    readonly installationName: string;
    readonly now: Date;
  },
): Promise<SkillsSection> {
  const { instructions } = await store.settings.get();
  const { skills, gaps } = await listVisibleSkills(store, permissions, now);
  const shown = skills.slice(0, maximumSkills);
  const publishers = [...new Set(shown.map(({ publisher }) => publisher))].map((publisher) => {
    const published = shown.filter((skill) => skill.publisher === publisher);
    return {
      name: published[0]?.publisherName ?? installationName,
      skills: published.map(({ id, skill, lacks }) => ({
        title: skill.title,
        href: `${paths.skills}/${id}`,
        description: skill.description,
        lacks,
      })),
    };
  });
  return {
    instructions: instructions ?? undefined,
    gaps: gaps.map(({ publisherName = installationName, state, fetchedAt }) => ({
      publisher: publisherName,
      state,
      fetchedAt,
    })),
    publishers,
    moreSkills: skills.length - shown.length,
  };
}

/** What a person has connected, what else they may connect, and what they can ask for: by the connector's key. */
export async function loadConnections(
  permissions: Permissions,
  store: Pick<Store, "connections" | "connectors">,
): Promise<readonly ConnectionItem[]> {
  const own = await store.connections.listOwn(permissions.user.id);
  const enabled = await store.connectors.listEnabled();
  // A person can still end a connection whose connector was disabled.
  const others = await Promise.all(
    own
      .filter(({ connectorId }) => !enabled.some(({ id }) => id === connectorId))
      .map(({ connectorId }) => store.connectors.find(connectorId)),
  );
  return [...enabled, ...others]
    .filter((connector) => connector !== undefined)
    .map((connector) => {
      const lacks = missingPermissions(connector, permissions);
      return {
        key: connector.key,
        name: connector.name,
        connectable: connector.enabled && lacks.length === 0,
        lacks,
        requestable: connector.enabled && lacks.length > 0,
        connection: own.find(({ connectorId }) => connectorId === connector.id),
      };
    })
    .filter(
      ({ lacks, requestable, connection }) => lacks.length === 0 || requestable || connection !== undefined,
    )
    .sort((one, other) => one.key.localeCompare(other.key, "en"));
}
