/** The end of a scale: a round number just above the highest bar, and even, so that its half is a whole number. */
export function topOfScale(most: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const steps = magnitude === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 5, 6, 8, 10];
  return magnitude * (steps.find((step) => step * magnitude >= most) ?? 10);
}
