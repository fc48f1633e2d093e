import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useText } from "../text/text";
import { Identifier } from "./identifier";
import "./lists.css";
import "./snippet.css";

/** Copies a text to the clipboard. */
export function CopyButton({ text, name }: { readonly text: string; readonly name?: string }) {
  const t = useText();
  const clipboard = useClipboard({ timeout: 2000 });
  const label = clipboard.copied ? t("parts.copied") : t("parts.copy");
  return (
    <Button
      variant="default"
      size="compact-sm"
      onClick={() => clipboard.copy(text)}
      aria-label={clipboard.copied || name === undefined ? label : `${label}: ${name}`}
    >
      {label}
    </Button>
  );
}

/** An address or key that is needed elsewhere, with a button that copies it. */
export function Copyable({ children }: { readonly children: string }) {
  return (
    <span className="copyable">
      <Identifier>{children}</Identifier>
      <CopyButton text={children} name={children} />
    </span>
  );
}

/** Code or a command to paste, with a button that copies it. */
export function Snippet({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <figure className="snippet">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={children} name={label} />
      </figcaption>
      {/* Focusable, because it scrolls sideways. */}
      <pre tabIndex={0} translate="no">
        {children}
      </pre>
    </figure>
  );
}
