import type { SkillReading } from "@admin/skills";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";

/** The stored text exactly as an agent reads it; loaded when it is opened. */
export function Reading({ id }: { readonly id: string }) {
  const t = useText();
  const [open, setOpen] = useState(false);
  const answer = useItem<SkillReading>(apiPath("skills", id, "reading"), { enabled: open });
  return (
    <details className="more-fields" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("skills.reading")}</summary>
      {open && (
        <Loaded answer={answer}>
          {({ text }) => (
            <pre className="skill-reading" tabIndex={0}>
              {text}
            </pre>
          )}
        </Loaded>
      )}
    </details>
  );
}
