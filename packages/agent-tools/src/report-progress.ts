/** A call that takes longer than this says that it is still going on, and again each time. */
const everyMilliseconds = 5000;

/** A notification of the Model Context Protocol. */
export interface ProgressNotification {
  method: "notifications/progress";
  params: { progressToken: string | number; progress: number; message: string };
}

/**
 * Reports to a host that asked for it how long a call has been running, until its result.
 *
 * @param token - what the host calls the progress by; undefined when it does not ask
 */
export function reportProgress(
  token: string | number | undefined,
  notify: (notification: ProgressNotification) => Promise<void>,
): () => void {
  if (token === undefined) return () => undefined;
  let progress = 0;
  const timer = setInterval(() => {
    progress += everyMilliseconds / 1000;
    const message = `Waiting for the answer for ${String(progress)} seconds.`;
    // The host is gone.
    notify({ method: "notifications/progress", params: { progressToken: token, progress, message } }).catch(
      () => undefined,
    );
  }, everyMilliseconds);
  return () => clearInterval(timer);
}
