/** How long the second letter may take. */
const sequenceMilliseconds = 1200;

/** Says of each key whether it comes soon after `first`. Times count from when the page was opened, so 0 is a time as well. */
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
