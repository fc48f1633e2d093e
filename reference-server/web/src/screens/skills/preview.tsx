import { useDeferredValue } from "react";
import { later } from "../../parts/later";
import { useText } from "../../text/text";

const Markdown = later(() => import("./markdown"), <Loading />);

/** Rendered Markdown; its library loads with the first one. */
export function Preview({ children }: { readonly children: string }) {
  // Typing stays fast while a long text is drawn.
  const content = useDeferredValue(children);
  return <Markdown>{content}</Markdown>;
}

function Loading() {
  const t = useText();
  return <p className="muted">{t("skills.previewLoading")}</p>;
}
