import { z } from "zod";
import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import { mostCounted, type Page, type PageRequest } from "../../store/page.js";
import { searched } from "./list-query.js";

/** The query of everything that a list finds: its search and its filters, without pages and order. */
export function allQuery<const Filters extends Readonly<Record<string, z.ZodType>>>(filters: Filters) {
  return z.strictObject({ q: searched }).extend(filters);
}

/** The answer: what can be sent back to change all of it together. */
export const allIdsSchema = z
  .strictObject({ ids: z.array(z.uuid()).max(mostCounted) })
  .meta({ id: "AllIds" });
export type AllIds = z.infer<typeof allIdsSchema>;

/** Many ids in a body: as many as can be chosen. */
export const manyIds = z.array(z.uuid()).max(mostCounted);

/**
 * The ids of everything that a list finds now.
 *
 * @throws {Refusal} There are more than one change takes; a part of them would surprise.
 */
export async function findAllIds<Sort extends string>(
  q: string | undefined,
  {
    sort,
    list,
  }: {
    /** Any: the order is of no matter. */
    readonly sort: Sort;
    readonly list: (request: PageRequest<Sort>) => Promise<Page<{ readonly id: string }>>;
  },
): Promise<AllIds> {
  const asked = q === "" ? undefined : q;
  const request = { limit: mostCounted, sort, descending: false, after: undefined, q: asked };
  const { items, next } = await list(request);
  if (next !== undefined) throw invalid(fault("", "tooManyFound", { maximum: mostCounted }));
  return { ids: items.map(({ id }) => id) };
}
