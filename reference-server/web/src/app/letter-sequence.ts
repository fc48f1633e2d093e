/** Longest time between the two letters. */
const sequenceMilliseconds = 1200;

/** Returns a function that tells whether a key follows soon after `first`. */
export function createLetterSequence(
  first: string,
): (key: Pick<KeyboardEvent, "key" | "timeStamp">) => boolean {
  let startedAt: number | undefined;
  return ({ key, timeStamp }) => {
    const follows = startedAt !== undefined && timeStamp - startedAt < sequenceMilliseconds;
    startedAt = key === first ? timeStamp : undefined;
    return follows;
  };
}
