import {
  type AuditFilter,
  type AuditRecord,
  type AuditSearch,
  auditColumns,
  auditSearchStatement,
  conditionsOf,
  newestEvents,
  type Statement,
  serviceIds,
  where,
} from "./audit-events.js";

/** The newest events that are looked through one by one before the index of words is asked. */
const sampleSize = 3_000;

/** As many are looked through when the first ones say that a page is among them: a frequent word costs the index more. */
const largestSample = 24_000;

/** A term that so many of a hundred events have is looked for in what the others find, and not in the index. */
const frequentPercent = 1;

export type WordSearch = AuditFilter & {
  /** Each is the beginning of a word. */
  readonly terms: readonly string[];
  readonly before?: Pick<AuditRecord, "at" | "id">;
  readonly limit: number;
};

type Run = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

interface Sample {
  readonly seen: number;
  /** How many of those that were seen have each term. */
  readonly counts: readonly number[];
  readonly items: readonly AuditRecord[];
}

/** What the index has exactly like this; anything else is left to the filter. */
const plainWord = /^[a-z0-9][\x21-\x7e]{0,199}$/i;

/**
 * Finds events by several conditions, or by words.
 *
 * First it looks through the newest that one index brings: what is frequent is found there at once, where an index of words
 * would have to read and sort millions. What is rare among them is then brought by the index of words.
 */
export async function findEvents(
  search: WordSearch,
  { run, runLarge }: { readonly run: Run; readonly runLarge: Run },
): Promise<readonly AuditRecord[]> {
  // No index of the events knows services and connectors; the one of words does.
  const isAboutPlace =
    search.service !== undefined || search.connector !== undefined || search.owned !== undefined;
  if (search.terms.length === 0 && countConditions(search) < 2 && !isAboutPlace) {
    const { text, values } = auditSearchStatement(search);
    return await run<AuditRecord>(text, values);
  }
  const lookThrough = async (size: number): Promise<Sample> => {
    const { text, values } = sampleStatement(search, size);
    const [sample] = await run<Sample>(text, values);
    return sample ?? { seen: 0, counts: [], items: [] };
  };
  const sample = await lookThrough(sampleSize);
  if (sample.items.length >= search.limit || sample.seen < sampleSize) return sample.items;
  const size = sizeForPage(sample, search.limit);
  if (size !== undefined) {
    const { items, seen } = await lookThrough(size);
    if (items.length >= search.limit || seen < size) return items;
  }
  const all = wordStatement(search, rareTerms(search.terms, sample));
  return merge(sample.items, await runLarge<AuditRecord>(all.text, all.values), search.limit);
}

/** How many of the newest events have a page, with a margin, if they go on as they began. */
function sizeForPage({ items, seen }: Sample, limit: number): number | undefined {
  const size = Math.ceil((1.3 * seen * limit) / items.length);
  return size <= largestSample ? size : undefined;
}

/** Looks through the newest events of the most selective condition, and says what is frequent among them. */
export function sampleStatement(search: WordSearch, size: number = sampleSize): Statement {
  const { terms, limit } = search;
  const newest = newestEvents({ ...leadOf(search), limit: size });
  const exact = where(conditionsOf({ ...search, from: undefined, until: undefined, before: undefined }));
  const fits = exact.text === "" ? "true" : exact.text.replace(/^WHERE /, "");
  const judged = terms.map((_, index) => `has[${index + 1}]`);
  const counts = judged.map((has) => `count(*) FILTER (WHERE ${has})::integer`);
  const words = terms.length === 0 ? "" : "JOIN audit_search s ON s.event_id = newest.id";
  const has = terms.length === 0 ? "NULL" : `ARRAY[${terms.map(() => "s.words @@ ?::tsquery").join(", ")}]`;
  return {
    text: `WITH newest AS MATERIALIZED (
        SELECT id, at, (${fits}) IS TRUE AS fits FROM (${newest.text}) AS audit_events
      ), judged AS MATERIALIZED (
        SELECT newest.id, newest.at, fits, ${has} AS has FROM newest ${words}
      ), page AS MATERIALIZED (
        SELECT id FROM judged WHERE ${["fits", ...judged].join(" AND ")} ORDER BY at DESC, id DESC LIMIT ?
      ), found AS (
        SELECT ${auditColumns} FROM audit_events WHERE id = ANY (ARRAY(SELECT id FROM page))
      )
      SELECT (SELECT count(*)::integer FROM newest) AS seen,
        ${counts.length === 0 ? "'{}'::integer[]" : `(SELECT ARRAY[${counts.join(", ")}] FROM judged)`} AS counts,
        coalesce((SELECT json_agg(found ORDER BY found.at DESC, found.id::bigint DESC) FROM found), '[]') AS items`,
    values: [...exact.values, ...newest.values, ...terms.map((term) => toQuery([term])), limit],
  };
}

/** Everything that the index of words brings. What a filter asks for is a word as well, so it narrows the same look-up. */
export function wordStatement(search: WordSearch, rare: readonly string[]): Statement {
  const { from, until, before, limit, terms } = search;
  const frequent = terms.filter((term) => !rare.includes(term));
  const wanted = [toQuery(rare), ...filterWords(search)].filter((part) => part !== "").join(" & ");
  const found = where([
    ["s.words @@ ?::tsquery", wanted === "" ? undefined : wanted],
    ["(s.words @@ ?::tsquery) IS TRUE", frequent.length === 0 ? undefined : toQuery(frequent)],
    ["s.at >= ?", from],
    ["s.at < ?", until],
    ["(s.at, s.event_id) < (?::timestamptz, ?::bigint)", before && [before.at, before.id]],
  ]);
  const exact = where(conditionsOf({ ...search, before: undefined, from: undefined, until: undefined }));
  const join = exact.text === "" ? "" : "JOIN audit_events ON audit_events.id = s.event_id";
  return {
    text: `WITH page AS (
        SELECT s.event_id FROM audit_search s ${join} ${found.text}
          ${exact.text.replace(/^WHERE/, found.text === "" ? "WHERE" : "AND")}
        ORDER BY s.at DESC, s.event_id DESC LIMIT ?)
      SELECT ${auditColumns} FROM audit_events WHERE id = ANY (ARRAY(SELECT event_id FROM page))
      ORDER BY audit_events.at DESC, audit_events.id DESC`,
    values: [...found.values, ...exact.values, limit],
  };
}

function rareTerms(terms: readonly string[], { seen, counts }: Sample): readonly string[] {
  const rare = terms.filter((_, index) => (counts[index] ?? 0) * 100 <= seen * frequentPercent);
  return rare.length === 0 ? terms : rare;
}

/** The conditions besides the time, which every index serves. */
function countConditions(search: AuditSearch): number {
  const conditions = conditionsOf({ ...search, from: undefined, until: undefined, before: undefined });
  return conditions.filter(([, value]) => value !== undefined).length;
}

/** The time and the one condition that is likely to leave the fewest events. */
function leadOf({
  from,
  until,
  before,
  subject,
  actorId,
  clientId,
  types,
  outcome,
}: WordSearch): AuditSearch {
  const time = { from, until, before };
  if (subject !== undefined) return { ...time, subject };
  if (actorId !== undefined) return { ...time, actorId };
  if (types?.length === 1) return { ...time, types };
  if (outcome !== undefined && outcome !== "success") return { ...time, outcome };
  return clientId === undefined ? time : { ...time, clientId };
}

/** What a filter asks for as whole words of the index; see `audit/event-words.ts`. */
function filterWords(search: WordSearch): readonly string[] {
  const { subject, actorId, clientId, types = [], outcome, service, connector } = search;
  const each = [actorId, clientId, outcome, connector].filter((word) => plainWord.test(word ?? ""));
  const names = [subject?.id, subject?.email].filter((name) => name !== undefined);
  const oneOf = [types, names, service === undefined ? [] : serviceIds(service), ownedNames(search)]
    .filter((words) => words.length > 0 && words.every((word) => plainWord.test(word)))
    .map((words) => `(${words.map(quote).join(" | ")})`);
  return [...each.map((word) => quote(word ?? "")), ...oneOf];
}

/** Each event about what somebody owns has one of these names as a word. */
function ownedNames({ owned }: WordSearch): readonly string[] {
  if (owned === undefined) return [];
  const { services, connectors, scopes } = owned;
  const keys = [
    ...services.flatMap(({ key, resource }) => [key, resource]),
    ...connectors.map(({ key }) => key),
  ];
  return [...keys, ...scopes];
}

/** Each term as a prefix; `::tsquery` takes it as it is. */
function toQuery(terms: readonly string[]): string {
  return terms.map((term) => `${quote(term)}:*`).join(" & ");
}

function quote(word: string): string {
  return `'${word.toLowerCase().replace(/['\\]/g, "$&$&")}'`;
}

/** The newest of both, each once. What was stored in the last seconds is in the first only. */
function merge(
  one: readonly AuditRecord[],
  other: readonly AuditRecord[],
  limit: number,
): readonly AuditRecord[] {
  const events = [...new Map([...one, ...other].map((event) => [event.id, event])).values()];
  return events
    .sort((a, b) => (a.at === b.at ? Number(BigInt(b.id) - BigInt(a.id)) : a.at < b.at ? 1 : -1))
    .slice(0, limit);
}
