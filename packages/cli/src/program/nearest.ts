/** The candidates that a word may have meant: those that it begins, else those that take the fewest corrections, a third of it at most. */
export function nearest(word: string, candidates: readonly string[]): readonly string[] {
  const begun = candidates.filter((candidate) => word.length > 1 && candidate.startsWith(word));
  if (begun.length > 0) return begun;
  const distances = candidates.map((candidate) => ({ candidate, distance: corrections(word, candidate) }));
  const least = Math.min(...distances.map(({ distance }) => distance));
  if (least > Math.max(1, Math.floor(word.length / 3))) return [];
  return distances.filter(({ distance }) => distance === least).map(({ candidate }) => candidate);
}

/** How many letters have to be put in, left out, changed or swapped with the next one. */
function corrections(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const at = (rowsUp: number, columnsLeft: number): number =>
        (rowsUp === 0 ? current : rows[row - rowsUp])?.[column - columnsLeft] ?? Number.POSITIVE_INFINITY;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (same ? 0 : 1), swapped ? at(2, 2) + 1 : Infinity),
      );
    }
    rows.push(current);
  }
  return rows[from.length]?.[to.length] ?? Number.POSITIVE_INFINITY;
}
