import { grantedScopes } from "../policy/decide.js";
import type { Permissions } from "../policy/effective-scopes.js";
import type { VisibleSkill } from "../skills/visible-skills.js";
import type { Resource } from "../store/resources.js";

/** A resource as the command-line client needs it. */
export function resourceDocument(resource: Resource, permissions: Permissions) {
  return {
    key: resource.key,
    name: resource.name,
    resource: resource.resource,
    authorizationServer: resource.authorizationServer,
    clientId: resource.clientId,
    requestPrefixes: resource.requestPrefixes,
    supportedScopes: resource.supportedScopes,
    grantedScopes: grantedScopes(permissions, resource),
  };
}

/** A skill in a list: everything but the instructions. */
export function skillSummary({ id, skill, publisher, allowed }: VisibleSkill) {
  const { title, description, tags = [], requiredScopes } = skill;
  return {
    id,
    title,
    ...(description !== undefined && { description }),
    tags,
    requiredScopes,
    allowed,
    resource: publisher,
  };
}

/** One skill with its instructions. */
export function skillDocument(visible: VisibleSkill) {
  return { ...skillSummary(visible), content: visible.skill.content };
}
