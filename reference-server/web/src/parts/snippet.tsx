import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useText } from "../text/text";
import "./snippet.css";

/** Code or a command that works when it is pasted, with a button that copies it. */
export function Snippet({ label, children }: { readonly label: string; readonly children: string }) {
  const t = useText();
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <figure className="snippet">
      <figcaption>
        <span>{label}</span>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => clipboard.copy(children)}
          aria-label={clipboard.copied ? t("parts.copied") : `${t("parts.copy")}: ${label}`}
        >
          {clipboard.copied ? t("parts.copied") : t("parts.copy")}
        </Button>
      </figcaption>
      {/* It scrolls sideways, so it takes the focus. */}
      <pre tabIndex={0} translate="no">
        {children}
      </pre>
    </figure>
  );
}
