import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { type Route, useMay } from "../api/session";

/** Shows its children to people who may use a route of the API. */
export function IfMay({ route, children }: { readonly route: Route; readonly children: ReactNode }) {
  return useMay()(route) ? children : undefined;
}

/** A button for people who may use a route; disabled, with the reason, where it is not for them this time. */
export function ActionButton({
  route,
  refused,
  ...rest
}: ButtonProps & {
  readonly route: Route;
  readonly refused?: string | undefined;
  readonly onClick: () => void;
  readonly children: ReactNode;
  readonly "aria-label"?: string;
}) {
  if (!useMay()(route)) return undefined;
  return <Button {...rest} {...(refused !== undefined && { disabled: true, title: refused })} />;
}
