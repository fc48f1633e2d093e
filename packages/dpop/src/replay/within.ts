/** Waits for a promise no longer than a time; rejects with the error that `late` makes otherwise. */
export async function within<T>(seconds: number, pending: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000);
  });
  try {
    return await Promise.race([pending, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
