import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense, useState } from "react";

/**
 * A component whose code loads when it is drawn for the first time.
 *
 * @param fallback - shown until then
 */
export function later<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  fallback?: ReactNode,
): ComponentType<Props> {
  const Part: ComponentType<Props> = lazy(load);
  return function Later(props) {
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** The menu's target is the button that was drawn before the menu had loaded. */
export interface MenuProps {
  readonly button: ReactElement;
}

interface ButtonHandlers {
  readonly "aria-haspopup": "menu";
  readonly "aria-expanded": boolean;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly onClick: () => void;
}

/** A button whose menu loads when the button is pointed at, and opens with the first click. */
export function menuLater<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props & MenuProps> }>,
): ComponentType<Props & { readonly draw: (handlers: ButtonHandlers) => ReactElement }> {
  const Menu: ComponentType<Props & MenuProps> = lazy(load);
  const preload = () => void load();
  return function MenuLater({ draw, ...props }) {
    const [opened, setOpened] = useState(false);
    const button = draw({
      "aria-haspopup": "menu",
      "aria-expanded": opened,
      onPointerEnter: preload,
      onFocus: preload,
      onClick: () => setOpened(true),
    });
    if (!opened) return button;
    return (
      <Suspense fallback={button}>
        <Menu {...(props as unknown as Props)} button={button} />
      </Suspense>
    );
  };
}
