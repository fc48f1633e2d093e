import { lazy, Suspense, useState } from "react";
import type { RowMenuProps } from "./open-row-menu";
import { RowMenuButton } from "./row-menu-button";

const OpenRowMenu = lazy(() => import("./open-row-menu"));

/** What can be done with one row, in a menu that is within reach of a thumb. Until somebody opens it, it is a button alone. */
export function RowMenu(props: RowMenuProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const button = <RowMenuButton name={props.name} onClick={() => setWasOpened(true)} />;
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <OpenRowMenu {...props} />
    </Suspense>
  );
}
