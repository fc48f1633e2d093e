import type { AuditRow } from "../store/audit-events.js";
import type { AuditName } from "../store/audit-search.js";
import { nameKey, providersOf } from "./event-names.js";

/** The most words of one event; further ones are not found. */
const maximumWords = 200;
/** The most characters of a word. */
const maximumLength = 200;
/** The most words of one search; the rest of the text is ignored. */
const maximumTerms = 10;

/** A UUID or a SHA-256 thumbprint: its parts mean nothing by themselves. */
const opaque = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{43})$/i;

/**
 * The words by which an event is found: those of its type, its data, and the names of its people, clients and resources.
 *
 * `ada@acme.example` is there as itself and as `acme.example` and `example`, so that the beginning of any part finds it.
 *
 * @param names - what the people, clients, resources and providers of the event are called now, by `nameKey`
 * @param known - the words of texts that came before, for as long as a batch
 */
export function eventWords(
  event: Pick<
    AuditRow,
    "type" | "outcome" | "actorType" | "actorId" | "subject" | "clientId" | "requestId" | "data"
  >,
  names: ReadonlyMap<string, AuditName>,
  known: Map<string, readonly string[]> = new Map(),
): readonly string[] {
  const { type, outcome, actorType, actorId, subject, clientId, requestId, data } = event;
  const named = [actorId, subject, clientId, data["resource"]].filter((id) => typeof id === "string");
  const texts = [
    type,
    outcome,
    actorType,
    ...named.flatMap((id) => [id, names.get(id)?.email, names.get(id)?.name, names.get(id)?.key]),
    ...providersOf({ type, data }).map((provider) => names.get(nameKey(provider.type, provider.key))?.name),
    ...textsOf(data),
    requestId,
  ].filter((text) => typeof text === "string");
  const words = new Set<string>();
  for (const text of texts) {
    for (const word of wordsOf(text, known)) {
      if (words.size >= maximumWords) return [...words];
      words.add(word);
    }
  }
  return [...words];
}

/** Identifiers come once; types, names and addresses come again and again. */
function wordsOf(text: string, known: Map<string, readonly string[]>): readonly string[] {
  if (opaque.test(text)) return [trimSeparators(text.toLowerCase())];
  const before = known.get(text);
  if (before !== undefined) return before;
  const words = splitWords(text).flatMap((word) => [...partsOf(word)]);
  known.set(text, words);
  return words;
}

/** A search text as prefixes; an event must have a word for each. */
export function searchTerms(text: string): readonly string[] {
  return [...new Set(splitWords(text).map((word) => trimSeparators(word)))]
    .filter((word) => word !== "")
    .slice(0, maximumTerms);
}

function splitWords(text: string): readonly string[] {
  return normalise(text)
    .split(/\s+/)
    .map((word) => cut(word))
    .filter((word) => word !== "");
}

/** Characters that cannot be stored, such as lone surrogates, separate words. */
function normalise(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cs}]/gu, " ");
}

function cut(word: string): string {
  return word.slice(0, maximumLength).replace(/\p{Cs}/gu, "");
}

/** The word from each of its parts on. */
function* partsOf(word: string): Generator<string> {
  if (opaque.test(word)) {
    yield trimSeparators(word);
    return;
  }
  for (const { index } of word.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)) yield word.slice(index);
}

function trimSeparators(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+/u, "");
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
  else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) yield* textsOf(member);
  }
}
