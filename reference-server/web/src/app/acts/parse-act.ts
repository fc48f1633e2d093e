/** Acts of the command palette. Each opens a dialog or the explanation. */
export const actIds = ["disable", "enable", "signOut", "give", "explain", "rotate"] as const;
export type ActId = (typeof actIds)[number];

/** The words of a language, as lists separated by commas. */
export interface ActWords {
  /** Verbs of each act: `disable, block`. */
  readonly verbs: Readonly<Record<ActId, string>>;
  /** Words before the name of a service: `at, on`. */
  readonly places: string;
  /** Ignored words: `may, not, to`. */
  readonly fillers: string;
}

export interface ParsedAct {
  readonly id: ActId;
  /** The name of a person. */
  readonly person: string;
  /** Permissions; the last one may be incomplete. */
  readonly scopes: readonly string[];
  /** The name of a service. */
  readonly service: string;
}

/** Reads `explain clara contracts:read at contracts`; the verb may come last, as in other languages. */
export function parseAct(text: string, { verbs, places, fillers }: ActWords): ParsedAct | undefined {
  const words = wordsOf(text);
  const known = actIds
    .flatMap((id) => listOf(verbs[id]).map((verb) => ({ id, verb: verb.split(" ") })))
    .sort((a, b) => b.verb.length - a.verb.length);
  for (const { id, verb } of known) {
    const rest = withoutVerb(words, verb);
    if (rest !== undefined) return { id, ...readTargets(rest, listOf(places), listOf(fillers)) };
  }
  return undefined;
}

/** Acts with a verb that starts with the text. */
export function matchingActs(text: string, { verbs }: Pick<ActWords, "verbs">): readonly ActId[] {
  const typed = wordsOf(text).join(" ");
  return actIds.filter((id) => listOf(verbs[id]).some((verb) => verb.startsWith(typed)));
}

function withoutVerb(words: readonly string[], verb: readonly string[]): readonly string[] | undefined {
  const lower = words.map((word) => word.toLowerCase());
  if (verb.every((word, index) => lower[index] === word)) return words.slice(verb.length);
  const end = words.length - verb.length;
  if (end > 0 && verb.every((word, index) => lower[end + index] === word)) return words.slice(0, end);
  return undefined;
}

function readTargets(words: readonly string[], places: readonly string[], fillers: readonly string[]) {
  const person: string[] = [];
  const scopes: string[] = [];
  const service: string[] = [];
  let names = person;
  for (const word of words) {
    const lower = word.toLowerCase();
    if (places.includes(lower)) {
      names = service;
    } else if (word.includes(":")) {
      scopes.push(lower);
      names = person;
    } else if (!fillers.includes(lower)) {
      names.push(word);
    }
  }
  return { person: person.join(" "), scopes, service: service.join(" ") };
}

function listOf(text: string): readonly string[] {
  return text.split(",").map((one) => one.trim());
}

/** Splits a text into words, without punctuation at their ends. */
function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/[?!.,;]+$/, ""))
    .filter(Boolean);
}
