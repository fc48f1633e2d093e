import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useText } from "../../text/text";

/** A value exactly as the API answers it, with a button that copies it. */
export function JsonView({ value }: { readonly value: unknown }) {
  const t = useText();
  const clipboard = useClipboard({ timeout: 2000 });
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="json">
      {/* Scrolls sideways: it has to be reachable by keyboard. */}
      <pre tabIndex={0} translate="no">
        {text}
      </pre>
      <Button variant="default" size="compact-sm" onClick={() => clipboard.copy(text)}>
        {clipboard.copied ? t("parts.copied") : t("parts.copy")}
      </Button>
    </div>
  );
}
