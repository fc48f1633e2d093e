import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./theme-variables.css";
import "./base.css";
import {
  localStorageColorSchemeManager,
  MantineContext,
  MantineThemeProvider,
  useProviderColorScheme,
} from "@mantine/core";
import type { ReactNode } from "react";
import { theme } from "./theme";

const manager = localStorageColorSchemeManager({ key: "authz-color-scheme" });
const getRootElement = () => document.documentElement;

/**
 * The contexts that the library's components need. The library's own provider would also write the theme's variables into
 * the page, but the build puts them into its styles.
 *
 * @param nonce - for styles that a component writes into the page
 */
export function Look({ nonce, children }: { readonly nonce: string; readonly children: ReactNode }) {
  const scheme = useProviderColorScheme({
    manager,
    defaultColorScheme: "auto",
    forceColorScheme: undefined,
    getRootElement,
  });
  return (
    <MantineContext
      value={{
        ...scheme,
        getRootElement,
        getStyleNonce: () => nonce,
        classNamesPrefix: "mantine",
        cssVariablesSelector: ":root",
        withStaticClasses: true,
      }}
    >
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
}
