/** Acquires permits of a key; the result releases them. `undefined`: too few are left. */
export type Acquire = (key: string, permits?: number) => (() => void) | undefined;

/** Creates a counting semaphore with this many permits for each key. */
export function createSemaphores(maximum: number): Acquire {
  const used = new Map<string, number>();
  return (key, permits = 1) => {
    const own = used.get(key) ?? 0;
    if (own + permits > maximum) return undefined;
    used.set(key, own + permits);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (used.get(key) ?? permits) - permits;
      if (left === 0) used.delete(key);
      else used.set(key, left);
    };
  };
}
