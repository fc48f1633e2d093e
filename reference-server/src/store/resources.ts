import type { StoredObject } from "../objects/object.js";
import { resourceShape } from "../objects/resource.js";
import { coveredPlace } from "../protocol/request-places.js";
import { type Owner, ownersSql } from "./owners.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { createBatches } from "./postgres/batches.js";
import { type Database, prepared } from "./postgres/database.js";
import {
  columnsOf,
  defineTable,
  insertMissing,
  json,
  LinkedScopes,
  saveVersioned,
  selectVersion,
  type Versioned,
} from "./postgres/table.js";

/** A registered service, as it is stored. Its owners are no part of it: no issuance reads them. */
export type Resource = Omit<StoredObject<typeof resourceShape>, "owners"> & {
  readonly id: string;
  /** The address of this server for agents: part of every installation. */
  readonly builtIn: boolean;
};

/** A resource as it is registered. */
export type RegisteredResource = Resource & { readonly owners: readonly Owner[] };

/** A resource as administrators see it. */
export type ListedResource = RegisteredResource & Versioned;

/** A prefix that a resource has. */
export interface ResourcePrefix {
  /** Of the resource. */
  readonly key: string;
  readonly prefix: string;
}

/** What a prefix that a resource has covers: `coveredPlace` of it. */
interface ResourcePlace {
  /** Of the resource. */
  readonly key: string;
  readonly place: string;
}

type ResourceListRequest = PageRequest<"name" | "key" | "createdAt"> & {
  readonly enabled: boolean | undefined;
  /** Only resources that support it. */
  readonly scope: string | undefined;
  /** Only these; all when absent. */
  readonly ids?: readonly string[] | undefined;
};

const supportedScopes = new LinkedScopes("resource_scopes", "resource_id");

export const resourceTable = defineTable<Resource>("resources", {
  ...columnsOf("id", "builtIn", ...resourceShape.omit({ owners: true }).keyof().options),
  authorizationDetailsTypes: json("authorization_details_types"),
  supportedScopes,
  rules: json("rules"),
});

function toRow(resource: Resource) {
  const covers = resource.requestPrefixes.map(coveredPlace).filter((place) => place !== undefined);
  return { ...resourceTable.toRow(resource), covers };
}

const byIdentifiersSql = `SELECT ${resourceTable.select()} FROM resources WHERE resource = ANY ($1::text[])`;

const pageColumns: PageColumns<"name" | "key" | "createdAt"> = {
  id: { sql: "r.key", type: "text" },
  sorts: {
    name: { sql: "lower(r.name)", type: "text" },
    key: { sql: "r.key", type: "text" },
    createdAt: { sql: "r.created_at", type: "timestamptz" },
  },
};

export function createResourceStore(database: Database) {
  const resources = () => database("resources").select<Resource[]>(database.raw(resourceTable.select()));
  const listed = () =>
    database("resources AS r").select<ListedResource[]>(
      database.raw(
        `${resourceTable.select("r")}, ${ownersSql("resource_id", "r.id")} AS owners, ${selectVersion("r")}`,
      ),
    );

  return {
    async find(id: string): Promise<Resource | undefined> {
      const [resource] = await resources().where({ id });
      return resource;
    },
    async findByKey(key: string): Promise<Resource | undefined> {
      const [resource] = await resources().where({ key });
      return resource;
    },
    /** The resource with this identifier, enabled or not. */
    findByIdentifier: createBatches<string, Resource | undefined>({
      async run(identifiers) {
        const statement = { name: "resource_by_identifier", text: byIdentifiersSql, values: [identifiers] };
        const found = await prepared<Resource>(database, statement);
        return identifiers.map((identifier) => found.find(({ resource }) => resource === identifier));
      },
    }),
    /** Every enabled resource, by key. */
    async listEnabled(): Promise<readonly Resource[]> {
      return await resources().where({ enabled: true }).orderBy("key");
    },
    /** Inserts or replaces the row with this id, and its supported scopes. */
    async save(resource: Resource, at: Date): Promise<void> {
      await saveVersioned(database, "resources", { row: toRow(resource), at });
      await supportedScopes.save(database, resource.id, resource.supportedScopes);
    },
    /** Inserts a resource unless there is one with its key; returns whether it did. */
    async insertMissing(resource: Resource, at: Date): Promise<boolean> {
      const row = { ...toRow(resource), created_at: at, updated_at: at };
      if (!(await insertMissing(database, "resources", { row, key: "key" }))) return false;
      await supportedScopes.save(database, resource.id, resource.supportedScopes);
      return true;
    },
    async list({ enabled, scope, ids, ...request }: ResourceListRequest): Promise<Page<ListedResource>> {
      const query = listed();
      if (ids !== undefined) void query.whereIn("r.id", [...ids]);
      if (enabled !== undefined) void query.where("r.enabled", enabled);
      if (scope !== undefined) {
        void query.whereRaw(
          "EXISTS (SELECT FROM resource_scopes s WHERE s.resource_id = r.id AND s.scope_key = ?)",
          [scope],
        );
      }
      whereWords(query, "r.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(key: string): Promise<ListedResource | undefined> {
      const [row] = await listed().where("r.key", key);
      return row;
    },
    /** The resources that cover one of these places with a prefix of theirs, however that is written. */
    async findByPlaces(places: readonly string[]): Promise<readonly ResourcePlace[]> {
      const { rows } = await database.raw<{ rows: ResourcePlace[] }>(
        `SELECT r.key, p.place FROM resources r, unnest(r.covers) AS p (place)
        WHERE r.covers && :places::text[] AND p.place = ANY (:places::text[]) ORDER BY r.key, p.place`,
        { places: [...places] },
      );
      return rows;
    },
    /** Every prefix that begins with this origin. */
    async listPrefixesAt(origin: string): Promise<readonly ResourcePrefix[]> {
      const { rows } = await database.raw<{ rows: ResourcePrefix[] }>(
        `SELECT r.key, p.prefix FROM resources r, unnest(r.request_prefixes) AS p (prefix)
        WHERE p.prefix = :origin OR starts_with(p.prefix, :origin || '/') ORDER BY r.key, p.prefix`,
        { origin },
      );
      return rows;
    },
    /** Removes the resource, its supported scopes and the copy of its skill catalog. */
    async remove(id: string): Promise<void> {
      await database("resources").where({ id }).delete();
    },
  };
}
