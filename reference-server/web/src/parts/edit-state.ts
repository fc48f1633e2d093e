/** A form between what is stored and what is typed. */
export interface EditState<Values> {
  /** What the server has, as far as the form knows; saving sends the version of it. */
  readonly stored: Values;
  /** Absent while something is created. */
  readonly version: number | undefined;
  readonly values: Values;
}

/** What the server has at a version. */
export interface Reading<Values> {
  readonly values: Values;
  readonly version: number;
}

/** Whether something is typed that is not stored. */
export function isDirty<Values>({ stored, values }: EditState<Values>): boolean {
  return !same(stored, values);
}

/**
 * Takes in what was read again. What is typed stays, with the version that it was typed over: saving it meets the
 * conflict. A form that nobody has touched shows what is new.
 */
export function followReading<Values>(state: EditState<Values>, reading: Reading<Values>): EditState<Values> {
  if (state.version === undefined || reading.version <= state.version || isDirty(state)) return state;
  return { stored: reading.values, version: reading.version, values: reading.values };
}

/**
 * Takes in what the server has after a change of one's own. Fields that still hold what was sent show what became of
 * them; what was typed since then stays.
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
