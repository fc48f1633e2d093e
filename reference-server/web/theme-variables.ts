import {
  convertCssVariables,
  type ConvertCSSVariablesInput,
  deepMerge,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import type { Plugin } from "vite";
import { resolveVariables, theme } from "./src/app/theme";

/**
 * Fills `src/app/theme-variables.css` with the variables of the theme. The component library would compute them in each browser, and
 * everything that is drawn already would be drawn again with them.
 */
export function themeVariablesPlugin(): Plugin {
  return {
    name: "theme-variables",
    enforce: "pre",
    load: (id) =>
      id.endsWith("/src/app/theme-variables.css") ? convertCssVariables(ownVariables()) : undefined,
  };
}

/** Without those that the library's own styles have with the same value. */
function ownVariables(): ConvertCSSVariablesInput {
  const whole = mergeMantineTheme(DEFAULT_THEME, theme);
  const all = deepMerge(defaultCssVariablesResolver(whole), resolveVariables(whole));
  const given = defaultCssVariablesResolver(DEFAULT_THEME);
  return {
    variables: without(given.variables, all.variables),
    light: without(given.light, all.light),
    dark: without(given.dark, all.dark),
  };
}

type Variables = Readonly<Record<string, string>>;

function without(given: Variables, all: Variables): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([variable, value]) => given[variable] !== value));
}
