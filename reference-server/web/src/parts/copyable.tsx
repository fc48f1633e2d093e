import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useMessages } from "../messages/language";
import { partsMessages } from "../messages/parts";
import { Identifier } from "./identifier";
import "./lists.css";

/** An address or key that is needed elsewhere, with a button that copies it. */
export function Copyable({ children }: { readonly children: string }) {
  const t = useMessages(partsMessages);
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <span className="copyable">
      <Identifier>{children}</Identifier>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => clipboard.copy(children)}
        aria-label={clipboard.copied ? t.copied : `${t.copy}: ${children}`}
      >
        {clipboard.copied ? t.copied : t.copy}
      </Button>
    </span>
  );
}
