/** Whether a claim is a usable NumericDate: whole seconds since 1970, finite and not negative. */
export function isNumericDate(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
