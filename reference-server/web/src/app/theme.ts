import {
  type AnchorProps,
  type ActionIconProps,
  type ButtonProps,
  type CheckboxProps,
  type ComboboxProps,
  createTheme,
  type CSSVariablesResolver,
  type InputProps,
  type InputWrapperProps,
  type MantineColorsTuple,
  type MenuProps,
  type ModalBaseOverlayProps,
  type ModalRootProps,
  type SwitchProps,
  type TooltipProps,
} from "@mantine/core";

/**
 * Default properties of the library's components. Components are named, not imported, because an import would load them
 * before the first screen.
 */
interface Defaults {
  readonly ActionIcon: Partial<ActionIconProps>;
  readonly Anchor: Partial<AnchorProps>;
  readonly Button: Partial<ButtonProps>;
  readonly Checkbox: Partial<CheckboxProps>;
  readonly Combobox: Partial<ComboboxProps>;
  readonly Input: Partial<InputProps>;
  readonly InputWrapper: Partial<InputWrapperProps>;
  readonly Menu: Partial<MenuProps>;
  readonly ModalOverlay: Partial<ModalBaseOverlayProps>;
  readonly ModalRoot: Partial<ModalRootProps>;
  readonly Switch: Partial<SwitchProps>;
  readonly Tooltip: Partial<TooltipProps>;
}

const defaults: Defaults = {
  Anchor: { underline: "always" },
  Button: { size: "sm" },
  ActionIcon: { variant: "subtle", color: "gray" },
  Checkbox: { size: "sm" },
  Switch: { size: "sm", withThumbIndicator: false },
  Input: { size: "sm" },
  // Help is between the label and the field, the error below the field.
  InputWrapper: { size: "sm", inputWrapperOrder: ["label", "description", "input", "error"] },
  // Suggestions stay in the landmark of their field.
  Combobox: { withinPortal: false, shadow: "md" },
  ModalRoot: { transitionProps: { duration: 90, transition: "fade" }, radius: "lg" },
  ModalOverlay: { backgroundOpacity: 0.35 },
  // Without the placeholder that takes the initial focus, because a menu may contain only items.
  Menu: { transitionProps: { duration: 0 }, shadow: "md", withInitialFocusPlaceholder: false },
  Tooltip: { openDelay: 350, withinPortal: true },
};

/** Ten shades, from light to dark. */
function scale(shades: string): MantineColorsTuple {
  return shades.split(" ") as unknown as MantineColorsTuple;
}

/** The same accent, neutrals and type as the sign-in pages (reference-server/assets/authz.css). */
export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  white: "#ffffff",
  black: "#1a1d23",
  colors: {
    accent: scale("#f0f3fa #dde6fb #b8caf8 #93b1ff #6d92f2 #4a73dd #2b55c9 #2449ad #1d3b8d #172f70"),
    gray: scale("#f8f9fb #f4f5f7 #e8eaef #dcdfe5 #c3c8d1 #6a7280 #59616e #434a55 #2d323b #1a1d23"),
    dark: scale("#e8eaee #c9cdd6 #a1a8b5 #8d95a3 #323742 #272c36 #1a1d24 #111318 #0d0f13 #090a0d"),
    red: scale("#fdf0ef #fadcd9 #ffb4ab #f28b80 #e0645a #cb4239 #b3261e #9a1f18 #7d1812 #5f110d"),
  },
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: "0.75rem", sm: "0.875rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  lineHeights: { xs: "1.4", sm: "1.5", md: "1.55", lg: "1.5", xl: "1.4" },
  defaultRadius: "md",
  radius: { sm: "0.3rem", md: "0.45rem", lg: "0.75rem" },
  focusRing: "auto",
  cursorType: "pointer",
  components: Object.fromEntries(
    Object.entries(defaults).map(([name, defaultProps]) => [name, { defaultProps }]),
  ),
});

/** Names for the shades of the neutral scale, in light and dark. Screens use only these names. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--ground": "#f4f5f7",
    "--surface": "#ffffff",
    "--tint": "#f0f3fa",
    "--line": "#dcdfe5",
    "--muted": "#59616e",
    "--accent": "#2b55c9",
    "--on-accent": "#ffffff",
    "--danger": "#b3261e",
    "--success": "#17693c",
    "--warning": "#875300",
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1a1d23",
    "--mantine-color-dimmed": "#59616e",
    "--mantine-color-placeholder": "#6a7280",
    "--mantine-color-anchor": "#2b55c9",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-default-border": "#868d9a",
  },
  dark: {
    "--ground": "#111318",
    "--surface": "#1a1d24",
    "--tint": "#21262f",
    "--line": "#323742",
    "--muted": "#a1a8b5",
    "--accent": "#93b1ff",
    "--on-accent": "#111318",
    "--danger": "#ffb4ab",
    "--success": "#7fd8a4",
    "--warning": "#f2c078",
    "--mantine-color-body": "#1a1d24",
    "--mantine-color-text": "#e8eaee",
    "--mantine-color-dimmed": "#a1a8b5",
    "--mantine-color-placeholder": "#8d95a3",
    "--mantine-color-anchor": "#93b1ff",
    "--mantine-color-error": "#ffb4ab",
    "--mantine-color-default-border": "#717988",
  },
});
