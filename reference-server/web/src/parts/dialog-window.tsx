import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../text/text";

export interface DialogProps {
  readonly title: string;
  /** Left out where the dialog cannot be dismissed. */
  readonly onClose?: (() => void) | undefined;
  readonly size?: "sm" | "md" | "lg";
  /** Its own content from edge to edge; the title is for screen readers only. */
  readonly bare?: boolean;
  readonly children: ReactNode;
}

/** The window of a dialog, with its frame, its overlay and its close button. */
export default function DialogWindow(props: DialogProps) {
  const { title, onClose, size = "md", bare = false, children } = props;
  const t = useText();
  const closable = onClose !== undefined;
  return (
    <Modal.Root
      opened
      onClose={() => onClose?.()}
      size={size}
      centered={!bare}
      closeOnEscape={closable}
      closeOnClickOutside={closable}
      {...(bare && { yOffset: "12vh" })}
      {...(!closable && { zIndex: 1000 })}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={bare ? "visually-hidden" : "dialog-header"}>
          <Modal.Title>{title}</Modal.Title>
          {closable && !bare && <Modal.CloseButton aria-label={t("parts.close")} />}
        </div>
        <Modal.Body {...(bare && { p: 0 })}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
