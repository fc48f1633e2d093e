/** The part of every address that is not a route's. */
export interface BasePath {
  /** The path and query that the client asked for: a route handler is told the rest of them only. */
  putBack(url: string): string;
  /** The path and query as a route handler is told them: the proxy is told all of it. */
  takeOut(url: string): string;
}

const valid = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/**
 * Reads the `basePath` option.
 *
 * @throws {TypeError} It is not a path like `/docs`.
 */
export function createBasePath(basePath = ""): BasePath {
  if (basePath === "") return { putBack: (url) => url, takeOut: (url) => url };
  if (!valid.test(basePath)) {
    throw new TypeError(
      'basePath must be the one of next.config, such as "/docs", without a slash at its end.',
    );
  }
  return {
    putBack(url) {
      const { pathname, search } = new URL(url);
      return `${basePath}${pathname === "/" ? "" : pathname}${search}`;
    },
    takeOut(url) {
      const { pathname, search } = new URL(url);
      return `${pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname}${search}`;
    },
  };
}
