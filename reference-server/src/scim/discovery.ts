import { type Attribute, groupResource, type ResourceSchema, userResource } from "./attributes.js";

/** Path of the SCIM server. The credential of a request identifies the calling provider. */
export const scimPrefix = "/scim/v2";

/** Items of a list at most; a larger `count` gets as many. */
export const maximumResults = 200;

const endpoints = { User: "/Users", Group: "/Groups" } as const;

/** What this server supports (RFC 7643 §5). */
export function serviceProviderConfig(base: string): object {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: maximumResults },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The credential that an administrator has created for this provider.",
        specUri: "https://www.rfc-editor.org/rfc/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

/** RFC 7643 §6 */
export function resourceTypes(base: string): readonly Discovered[] {
  return [userResource, groupResource].map(({ name, description, urn }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: name,
    name,
    description,
    endpoint: endpoints[name],
    schema: urn,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  }));
}

/** RFC 7643 §7 */
export function schemas(base: string): readonly Discovered[] {
  return [userResource, groupResource].map(({ urn, name, description, attributes }: ResourceSchema) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id: urn,
    name,
    description,
    attributes: attributes.map(showAttribute),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${urn}` },
  }));
}

export interface Discovered {
  readonly id: string;
  readonly [member: string]: unknown;
}

function showAttribute({ caseExact, uniqueness, subAttributes, ...attribute }: Attribute): object {
  const { type } = attribute;
  return {
    ...attribute,
    ...(type !== "complex" && type !== "boolean" && { caseExact, uniqueness }),
    ...(type === "reference" && { referenceTypes: ["User"] }),
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map(showAttribute) }),
  };
}

/** A list of resources (RFC 7644 §3.4.2). */
export function listResponse({
  total,
  startIndex,
  items,
}: {
  readonly total: number;
  readonly startIndex: number;
  readonly items: readonly object[];
}): object {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex,
    itemsPerPage: items.length,
    Resources: items,
  };
}
