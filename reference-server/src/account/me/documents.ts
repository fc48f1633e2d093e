import { grantedScopes, type NamedGroup } from "../../permissions/decide.js";
import { type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import type { CatalogGap } from "../../skills/catalog-gaps.js";
import type { ReadableSkill, VisibleSkill, VisibleSkills } from "../../skills/visible-skills.js";
import type { Resource } from "../../store/resources.js";
import type { Settings } from "../../store/settings.js";
import type { OwnExplanation } from "./explain-own.js";

/** A resource as the command-line client needs it. */
export function resourceDocument(resource: Resource, permissions: Permissions) {
  const undecided = undecidedScopes(permissions);
  const open = resource.supportedScopes.filter((scope) => undecided.has(scope));
  return {
    key: resource.key,
    name: resource.name,
    resource: resource.resource,
    authorizationServer: resource.authorizationServer,
    clientId: resource.clientId,
    requestPrefixes: resource.requestPrefixes,
    supportedScopes: resource.supportedScopes,
    grantedScopes: grantedScopes(permissions, resource),
    ...(open.length > 0 && { undecidedScopes: open }),
  };
}

/** What a person reads about a permission of their own: no ids of rules, and nobody but those who can change them. */
export function explanationDocument({ resource, decision, missing, administrators }: OwnExplanation) {
  return {
    resource: { key: resource.key, name: resource.name },
    allowed: decision.allowed,
    granted: decision.granted.map(({ scope, by }) => ({ scope, by: by.map(ruleDocument) })),
    missing: missing.map(({ scope, reason, wouldBeGrantedBy, groups }) => ({
      scope,
      reason,
      wouldBeGrantedBy: [
        ...(wouldBeGrantedBy === undefined ? [] : [ruleDocument(wouldBeGrantedBy)]),
        ...groups.map((group) => ruleDocument({ type: "group", group })),
      ],
    })),
    administrators: {
      people: administrators.people.map(({ email, name }) => ({ email, name })),
      groups: administrators.groups.map(({ key, provider }) => ({ group: key, provider: provider.name })),
    },
  };
}

type Rule = { readonly until?: string } & (
  | { readonly type: "email"; readonly email: string }
  | { readonly type: "group"; readonly group: NamedGroup }
);

function ruleDocument(rule: Rule) {
  const ends = rule.until !== undefined && { until: rule.until };
  if (rule.type === "email") return { type: rule.type, email: rule.email, ...ends };
  const { key, provider } = rule.group;
  return { type: rule.type, group: key, provider: provider.name, ...ends };
}

/** The organization, and what its administrators want every agent to know. */
export function installationDocument({ installationName, instructions }: Settings) {
  return { name: installationName, ...(instructions !== null && { instructions }) };
}

/** The skills that somebody sees. `incomplete` is there when some may be missing or old. */
export function skillsDocument({ skills, gaps }: VisibleSkills, settings: Settings) {
  return {
    installation: installationDocument(settings),
    items: skills.map(skillSummary),
    ...(gaps.length > 0 && { incomplete: gaps.map(gapDocument) }),
  };
}

/** Whose skills may be missing or old, and why. */
export function gapDocument({ publisher, publisherName, state, fetchedAt }: CatalogGap) {
  return {
    resource: publisher,
    ...(publisherName !== undefined && { name: publisherName }),
    state,
    ...(fetchedAt !== undefined && { fetchedAt: fetchedAt.toISOString() }),
  };
}

/** A skill in a list: everything but the instructions. */
function skillSummary({ id, skill, publisher, lacks }: VisibleSkill) {
  const { title, description, tags = [], requiredScopes } = skill;
  return {
    id,
    title,
    ...(description !== undefined && { description }),
    tags,
    requiredScopes,
    allowed: lacks.length === 0,
    resource: publisher,
  };
}

/** One skill with its instructions, and what else belongs to it. */
export function skillDocument(visible: ReadableSkill) {
  const { content, files } = visible.skill;
  return { ...skillSummary(visible), content, ...(files !== undefined && { files }) };
}
