import type { z } from "zod";
import { describeReason } from "../../audit/describe-event.js";
import type { Store } from "../../store/store.js";
import { type Language, textsIn } from "../../text/texts.js";
import type { Caller } from "../door/call.js";
import { isoTime } from "../door/list-query.js";
import { loadNames } from "./names.js";
import { filterOf, windowOf } from "./question.js";
import type { UsageDenials, usageDenialsQuerySchema } from "./schemas.js";

/** What was refused, by person, permission and service. */
export async function loadDenials(
  query: z.output<typeof usageDenialsQuerySchema>,
  {
    store,
    now,
    language,
    caller,
  }: {
    readonly store: Pick<Store, "auditSearch" | "usage">;
    readonly now: Date;
    readonly language: Language;
    readonly caller: Caller;
  },
): Promise<UsageDenials> {
  const { unit, from } = windowOf(query.range, now);
  const denials = await store.usage.denials(
    { unit, from, limit: query.limit, scope: query.scope },
    filterOf(query, caller),
  );
  const ids = denials.flatMap(({ userId, clientId }) => [userId, clientId]);
  const names = await loadNames(store, { ids, targets: denials });
  const texts = textsIn(language);
  return {
    items: denials.map(({ userId, clientId, kind, key, scope, count, lastAt, reason }) => ({
      person:
        userId === ""
          ? null
          : { id: userId, name: names.of(userId)?.name ?? null, email: names.of(userId)?.email ?? null },
      scope: scope === "" ? null : scope,
      target: { type: kind, key, name: names.ofTarget({ kind, key }) },
      client:
        clientId === ""
          ? null
          : { id: clientId, name: names.of(clientId)?.name ?? null, host: names.of(clientId)?.host ?? null },
      count,
      lastAt: isoTime(lastAt),
      reason,
      reasonText: reason === "" ? "" : describeReason(reason, texts),
    })),
    total: denials[0]?.total ?? 0,
  };
}
