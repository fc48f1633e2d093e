import { describe, expect, test } from "vitest";
import { renderPreloads, type ScreenFiles } from "../../../src/admin/console/preloads.js";

const screenOf = (path: string): ScreenFiles => ({
  path,
  scripts: [`assets/${path.replaceAll(/\W/g, "_")}.js`],
  styles: [],
  texts: { en: ["assets/en.js"], de: ["assets/de.js"] },
});
const screens = ["/", "/scopes", "/scopes/$key", "/scopes/new"].map(screenOf);

describe("a page names the files of its screen", () => {
  test.each([
    { path: "", file: "_" },
    { path: "/", file: "_" },
    { path: "/scopes", file: "_scopes" },
    { path: "/scopes/", file: "_scopes" },
    { path: "/scopes/contracts%3Aread", file: "_scopes__key" },
    { path: "/scopes/new", file: "_scopes_new" },
  ])("at $path", ({ path, file }) => {
    expect(renderPreloads(screens, path, "de")).toBe(
      `<link rel="modulepreload" crossorigin href="/admin/assets/${file}.js">` +
        '<link rel="modulepreload" crossorigin href="/admin/assets/de.js">',
    );
  });

  test("with its styles, and without texts of an unknown language", () => {
    const styled = { ...screenOf("/audit"), styles: ["assets/audit.css"] };
    expect(renderPreloads([styled], "/audit", "da")).toBe(
      '<link rel="modulepreload" crossorigin href="/admin/assets/_audit.js">' +
        '<link rel="preload" as="style" crossorigin href="/admin/assets/audit.css">',
    );
  });

  test.each(["/nothing", "/scopes//", "/scopes/a/b", '/"><script>', "//scopes"])(
    "and nothing where there is no screen: %s",
    (path) => {
      expect(renderPreloads(screens, path, "en")).toBe("");
    },
  );
});
