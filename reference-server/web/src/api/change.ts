import { ApiError } from "./api-error";
import { useForget } from "./queries";
import { type RequestOptions, request } from "./request";

/**
 * Returns `request` for changes of objects on the screen. If an object has changed or is gone, these paths are read again,
 * so that the next attempt uses current versions.
 */
export function useChange(
  ...paths: readonly string[]
): <T>(path: string, options: RequestOptions) => Promise<T> {
  const forget = useForget();
  return async <T>(path: string, options: RequestOptions) => {
    try {
      return await request<T>(path, options);
    } catch (error) {
      const outdated = error instanceof ApiError && (error.status === 412 || error.status === 404);
      if (outdated) await forget(...paths);
      throw error;
    }
  };
}
