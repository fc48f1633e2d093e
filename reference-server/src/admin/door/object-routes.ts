import type { FastifyRequest, FastifyTypeProviderDefault } from "fastify";
import type { z } from "zod";
import { requireVersion } from "../../registry/refusal.js";
import type { Work } from "../../registry/work.js";
import type { Page, PageRequest } from "../../store/page.js";
import { administrators, type RouteAccess } from "./access.js";
import type { AreaRoutes } from "./area.js";
import type { AdminCall, ChangeReach } from "./call.js";
import { fromPage, listAnswer, type ParsedListQuery, toPageRequest, type WithoutSign } from "./list-query.js";
import type { AdminErrorCode } from "./refusals.js";
import type { RouteRules } from "./route-rules.js";

/** What an object is read with: the store of the running transaction, if there is one. */
export type Reading = Pick<AdminCall, "store" | "now" | "context" | "caller">;

interface RouteText {
  readonly summary: string;
  readonly description?: string;
}

/** `reach`, if there is one, offers a preview. */
interface ChangingRoute extends RouteText {
  /** What it refuses with beside what every route of its kind does. */
  readonly errors?: readonly AdminErrorCode[];
}

/** What the five routes of an object are made from. */
export interface ObjectRoutes<
  Item extends { readonly version: number },
  Shown extends { readonly version: number },
  Sort extends string,
  Filters,
  New,
  Change,
> {
  /** `/scopes` */
  readonly path: `/${string}`;
  /** Who reads. Only administrators create, change and remove objects. */
  readonly access: RouteAccess;
  /** The one member names an object in the path. */
  readonly params: z.ZodObject<Readonly<Record<string, z.ZodType<string>>>>;
  readonly shown: z.ZodType<Shown>;
  /** @throws {Refusal} `not_found`, of what belongs to others as well */
  readonly find: (id: string, reading: Reading) => Promise<Item>;
  readonly show: (items: readonly Item[], reading: Reading) => readonly Shown[] | Promise<readonly Shown[]>;
  /** Refuses to change or remove what is part of every installation, whichever version was seen. */
  readonly requireChangeable?: (item: Item) => void;
  /** Absent where the list shows something else. */
  readonly list?: RouteText & {
    readonly query: z.ZodType<ParsedListQuery<Sort> & Filters>;
    readonly load: (
      request: PageRequest<WithoutSign<Sort>>,
      filters: Filters,
      reading: Reading,
    ) => Promise<Page<Item>>;
  };
  readonly read: RouteText;
  /** `save` may ask other servers; what it returns runs in the transaction. */
  readonly create: ChangingRoute & {
    readonly body: z.ZodType<New>;
    readonly idOf: (body: New) => string;
    readonly save: (body: New, call: AdminCall) => Saving<[work: Work]>;
    readonly reach?: (body: New, call: AdminCall) => ChangeReach;
  };
  readonly change: ChangingRoute & {
    readonly body: z.ZodType<Change>;
    readonly save: (body: Change, call: AdminCall, id: string) => Saving<[before: Item, work: Work]>;
    readonly reach?: (id: string, call: AdminCall, body: Change) => ChangeReach;
  };
  readonly remove: ChangingRoute & {
    readonly run: (found: Item, work: Work) => Promise<void>;
    /** What follows the transaction, such as asking another server. */
    readonly after?: (removed: Item, call: AdminCall) => Promise<void>;
    readonly reach?: (id: string, call: AdminCall) => ChangeReach;
  };
}

type InTransaction<Input extends readonly unknown[]> = (...input: Input) => Promise<void>;
type Saving<Input extends readonly unknown[]> = InTransaction<Input> | Promise<InTransaction<Input>>;

/** Adds the routes that list, create, show, change and remove the objects of one kind. */
export function addObjectRoutes<
  Item extends { readonly version: number },
  Shown extends { readonly version: number },
  Sort extends string,
  Filters,
  New,
  Change,
>(area: AreaRoutes, routes: ObjectRoutes<Item, Shown, Sort, Filters, New, Change>): void {
  // The schemas of each route are checked where it is described; their types are those of `routes`.
  const app = area.withTypeProvider<FastifyTypeProviderDefault>();
  const { path, params, shown, list, read, create, change, remove } = routes;
  const [name = ""] = Object.keys(params.shape);
  const one = `${path}/:${name}`;
  const idOf = (request: FastifyRequest) => (request.params as Record<string, string>)[name] ?? "";

  const showOne = async (id: string, reading: Reading): Promise<Shown> =>
    await showItem(await routes.find(id, reading), reading);
  const showItem = async (item: Item, reading: Reading): Promise<Shown> => {
    const [first] = await routes.show([item], reading);
    if (first === undefined) throw new Error("An object has nothing to show.");
    return first;
  };
  const findSeen = async (id: string, reading: Reading, version: number): Promise<Item> => {
    const found = await routes.find(id, reading);
    routes.requireChangeable?.(found);
    requireVersion(await showItem(found, reading), version);
    return found;
  };

  if (list !== undefined) {
    app.get(
      path,
      {
        config: { access: routes.access },
        schema: { ...textOf(list), querystring: list.query, response: { 200: listAnswer(shown) } },
      },
      async (request) => {
        const query = request.query as ParsedListQuery<Sort> & Filters;
        const page = await list.load(toPageRequest<Sort>(query), query, request.admin);
        const items = await routes.show(page.items, request.admin);
        return fromPage({ ...page, items }, { query, show: (item) => item });
      },
    );
  }

  app.post(
    path,
    {
      config: rulesOf(create, "already_exists"),
      schema: { ...textOf(create), body: create.body, response: { 201: shown } },
    },
    async (request) => {
      const { admin } = request;
      const body = request.body as New;
      const save = await create.save(body, admin);
      return await admin.change(
        async (work) => {
          await save(work);
          return await showOne(create.idOf(body), { ...admin, store: work.store, caller: work.caller });
        },
        create.reach?.(body, admin),
      );
    },
  );

  app.get(
    one,
    {
      config: { access: routes.access, errors: ["not_found"] },
      schema: { ...textOf(read), params, response: { 200: shown } },
    },
    async (request) => await showOne(idOf(request), request.admin),
  );

  app.patch(
    one,
    {
      config: { ifMatch: true, ...rulesOf(change, "not_found") },
      schema: { ...textOf(change), params, body: change.body, response: { 200: shown } },
    },
    async (request) => {
      const { admin } = request;
      const [id, body] = [idOf(request), request.body as Change];
      const save = await change.save(body, admin, id);
      return await admin.change(
        async (work) => {
          const reading = { ...admin, store: work.store, caller: work.caller };
          await save(await findSeen(id, reading, admin.version), work);
          return await showOne(id, reading);
        },
        change.reach?.(id, admin, body),
      );
    },
  );

  app.delete(
    one,
    { config: { ifMatch: true, ...rulesOf(remove, "not_found") }, schema: { ...textOf(remove), params } },
    async (request) => {
      const { admin } = request;
      const id = idOf(request);
      const removed = await admin.change(
        async (work) => {
          const found = await findSeen(
            id,
            { ...admin, store: work.store, caller: work.caller },
            admin.version,
          );
          await remove.run(found, work);
          return found;
        },
        remove.reach?.(id, admin),
      );
      await remove.after?.(removed, admin);
    },
  );
}

function textOf({ summary, description }: RouteText): RouteText {
  return { summary, ...(description !== undefined && { description }) };
}

function rulesOf(
  { errors = [], reach }: ChangingRoute & { readonly reach?: unknown },
  first: AdminErrorCode,
): RouteRules {
  return {
    access: administrators,
    errors: [first, ...errors],
    ...(reach !== undefined && { preview: true }),
  };
}
