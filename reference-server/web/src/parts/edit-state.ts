/** The stored and the typed values of a form. */
export interface EditState<Values> {
  /** The stored values that the form knows; saving sends their version. */
  readonly stored: Values;
  /** Absent for a new object. */
  readonly version: number | undefined;
  readonly values: Values;
}

/** The stored values at a version. */
export interface Reading<Values> {
  readonly values: Values;
  readonly version: number;
}

/** Whether there are unsaved changes. */
export function isDirty<Values>({ stored, values }: EditState<Values>): boolean {
  return !same(stored, values);
}

/**
 * Applies a newer reading. Unsaved changes stay, with their version, so that saving them reveals the conflict. A form
 * without changes shows the new values.
 */
export function followReading<Values>(state: EditState<Values>, reading: Reading<Values>): EditState<Values> {
  if (state.version === undefined || reading.version <= state.version || isDirty(state)) return state;
  return { stored: reading.values, version: reading.version, values: reading.values };
}

/**
 * Applies the stored values after the form's own change. Fields that still hold the sent values show the stored ones;
 * later changes stay.
 */
export function settle<Values extends object>(
  { values }: EditState<Values>,
  sent: Values,
  reading: Reading<Values>,
): EditState<Values> {
  const typed = (Object.keys(values) as (keyof Values)[]).filter((name) => !same(values[name], sent[name]));
  const kept = Object.fromEntries(typed.map((name) => [name, values[name]])) as Partial<Values>;
  return { stored: reading.values, version: reading.version, values: { ...reading.values, ...kept } };
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
