/** The files that a screen of the console begins with, as the build wrote them down. Paths are below `/admin/`. */
export interface ScreenFiles {
  /** Below `/admin`: `/scopes/$key`. */
  readonly path: string;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Its words, by language. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

/**
 * The links that let a browser load a screen together with the code of the console. They hold nothing of the request: who asks for a
 * screen that does not exist gets none.
 *
 * @param path - below `/admin`, without a query; empty for the first screen
 * @param language - of the words; the console itself may choose another, and loads that one then
 */
export function renderPreloads(screens: readonly ScreenFiles[], path: string, language: string): string {
  const found = findScreen(screens, path);
  if (found === undefined) return "";
  const scripts = [...found.scripts, ...(found.texts[language] ?? [])];
  return [
    ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/admin/${file}">`),
    ...found.styles.map((file) => `<link rel="preload" as="style" crossorigin href="/admin/${file}">`),
  ].join("");
}

/** A part that is said in full wins over a parameter, as in the console. */
function findScreen(screens: readonly ScreenFiles[], path: string): ScreenFiles | undefined {
  const parts = withoutEnd(path).split("/");
  const isParameter = (part: string) => part.startsWith("$");
  const countParameters = (screen: ScreenFiles) => screen.path.split("/").filter(isParameter).length;
  return screens
    .filter((screen) => {
      const expected = withoutEnd(screen.path).split("/");
      return (
        expected.length === parts.length &&
        expected.every((part, index) => (isParameter(part) ? parts[index] !== "" : part === parts[index]))
      );
    })
    .sort((one, other) => countParameters(one) - countParameters(other))[0];
}

/** A slash at the end says nothing. */
function withoutEnd(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
