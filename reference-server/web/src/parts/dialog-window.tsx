import { Modal } from "@mantine/core";
import { useText } from "../text/text";
import type { DialogProps } from "./dialog";

/** The window of a dialog, with its frame, its shade and the way out. */
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
