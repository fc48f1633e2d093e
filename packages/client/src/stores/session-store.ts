/**
 * Where one session is kept: one text, which the client alone understands.
 *
 * `exclusively` must keep out every other process that uses the same place, because a refresh token works once: two
 * processes that use it at the same time would end the session.
 */
export interface SessionStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  exclusively<T>(run: () => Promise<T>): Promise<T>;
}
