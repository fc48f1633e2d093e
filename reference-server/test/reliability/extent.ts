/** `npm run test:reliability` asks for the long forms; `npm run test:system` runs the short ones. */
export const isLong = process.env.AUTHZ_RELIABILITY === "long";

/** How much of something a test does. */
export function extent(amounts: { readonly short: number; readonly long: number }): number {
  return isLong ? amounts.long : amounts.short;
}

/** How long a test may take, in milliseconds. Nothing here is expected to take that long. */
export const timeLimit = isLong ? 1_800_000 : 600_000;
