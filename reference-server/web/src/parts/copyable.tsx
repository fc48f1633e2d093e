import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useText } from "../text/text";
import { Identifier } from "./identifier";
import "./lists.css";

/** An address or key that is needed elsewhere, with a button that copies it. */
export function Copyable({ children }: { readonly children: string }) {
  const t = useText();
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <span className="copyable">
      <Identifier>{children}</Identifier>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => clipboard.copy(children)}
        aria-label={clipboard.copied ? t("parts.copied") : `${t("parts.copy")}: ${children}`}
      >
        {clipboard.copied ? t("parts.copied") : t("parts.copy")}
      </Button>
    </span>
  );
}
