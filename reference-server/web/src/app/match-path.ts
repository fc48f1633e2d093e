/** A path with the values of its parameters. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * Finds the pattern of a path among patterns such as `/scopes/$key`. A literal part wins over a parameter, so that
 * `/scopes/new` is a screen of its own in any order.
 */
export function matchPath<Pattern extends { readonly path: string }>(
  patterns: readonly Pattern[],
  path: string,
): { readonly pattern: Pattern; readonly parameters: Parameters } | undefined {
  const parts = path.split("/");
  const found = patterns
    .flatMap((pattern) => {
      const parameters = parametersOf(pattern.path.split("/"), parts);
      return parameters === undefined ? [] : [{ pattern, parameters }];
    })
    .sort((a, b) => Object.keys(a.parameters).length - Object.keys(b.parameters).length);
  return found[0];
}

function parametersOf(pattern: readonly string[], parts: readonly string[]): Parameters | undefined {
  if (pattern.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (expected.startsWith("$")) {
      const value = decoded(part);
      if (value === undefined || value === "") return undefined;
      parameters[expected.slice(1)] = value;
    } else if (expected !== part) {
      return undefined;
    }
  }
  return parameters;
}

/** Decodes a part of a path; `undefined` for an invalid percent encoding. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
