/**
 * Checks the options of a factory, so that misuse fails at startup and names the option.
 *
 * @throws {TypeError} The value is not an object, or has a key that is not listed.
 */
export function requireKnownOptions(factory: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${factory}: options must be an object.`);
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`${factory}: unknown option "${name}". Known options: ${known.join(", ")}.`);
    }
  }
}

/** @throws {TypeError} The option is given and is not a function. */
export function requireClock(factory: string, clock: unknown): void {
  if (typeof clock !== "function") {
    throw new TypeError(`${factory}: clock must be a function that returns milliseconds, like Date.now.`);
  }
}

/** @throws {TypeError} The value is not a whole number within the limits. */
export function requireInteger(option: string, value: unknown, limits: { min: number; max: number }): void {
  const { min, max } = limits;
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new TypeError(`${option} must be a whole number from ${min} to ${max}.`);
  }
}

/** @throws {TypeError} The value lacks one of the methods. */
export function requireMethods(option: string, value: unknown, methods: readonly string[]): void {
  const members = (typeof value === "object" || typeof value === "function" ? value : null) as Record<
    string,
    unknown
  > | null;
  if (members === null || methods.some((method) => typeof members[method] !== "function")) {
    throw new TypeError(
      `${option} must be an object with ${methods.map((name) => `${name}()`).join(" and ")}.`,
    );
  }
}
