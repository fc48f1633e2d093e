import type { Resource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";

/** Something about a resource that contradicts what is registered already. */
export interface ResourceConflict {
  /** The member of the resource, such as `requestPrefixes.0`. */
  readonly path: string;
  readonly message: string;
}

/** Says what is in the way of a resource: its identifier or a prefix of its belongs to another one. */
export async function findResourceConflicts(
  wanted: Pick<Resource, "key" | "resource" | "requestPrefixes">,
  store: Pick<Store, "resources">,
): Promise<readonly ResourceConflict[]> {
  const owner = await store.resources.findByIdentifier(wanted.resource);
  const taken = await store.resources.findByPrefixes(wanted.requestPrefixes);
  return [
    ...(owner === undefined || owner.key === wanted.key
      ? []
      : [
          {
            path: "resource",
            message: `"${wanted.resource}" already belongs to the resource "${owner.key}"`,
          },
        ]),
    ...taken
      .filter(({ key }) => key !== wanted.key)
      .map(({ key, prefix }) => ({
        path: `requestPrefixes.${wanted.requestPrefixes.indexOf(prefix)}`,
        message: `"${prefix}" already belongs to the resource "${key}"`,
      })),
  ];
}

/** The scopes that do not exist, each with its place in the member that lists them. */
export async function findUnknownScopes(
  scopes: readonly string[],
  store: Pick<Store, "scopes">,
  member: "supportedScopes" | "requiredScopes" = "supportedScopes",
): Promise<readonly ResourceConflict[]> {
  const known = new Set((await store.scopes.findAll(scopes)).map(({ key }) => key));
  return scopes.flatMap((scope, index) =>
    known.has(scope) ? [] : [{ path: `${member}.${index}`, message: `"${scope}" is not a known scope` }],
  );
}
