import type { Knex } from "knex";

/**
 * Lets a query find only rows whose words begin with the words of a text, in any order and in any case.
 *
 * @param column - made by the SQL function `search_words`, with a GIN index
 */
export function whereWords(query: Knex.QueryBuilder, column: string, text: string | undefined): void {
  const asked = wordsQuery(text ?? "");
  if (asked !== "") void query.whereRaw(`${column} @@ to_tsquery('pg_catalog.simple', ?)`, [asked]);
}

/** `Ada acm` becomes `'Ada':* & 'acm':*`. Separates words where `search_words` does. */
export function wordsQuery(text: string): string {
  const words = text.split(/[\s\p{Cc}!-/:-@[-`{-~]+/u).filter((word) => word !== "");
  return words.map((word) => `'${word}':*`).join(" & ");
}
