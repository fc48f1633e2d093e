/**
 * Where one session is kept: one text, which the client alone understands.
 *
 * `exclusively` keeps out other processes that use the same place, so that one renews the session and the others use the
 * result. A lock that fails at times does no harm: two processes that renew at the same time get the same refresh token.
 */
export interface SessionStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  exclusively<T>(run: () => Promise<T>): Promise<T>;
}
