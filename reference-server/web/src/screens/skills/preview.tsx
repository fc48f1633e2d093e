import { lazy, Suspense, useDeferredValue } from "react";
import { useText } from "../../text/text";

const Markdown = lazy(() => import("./markdown"));

/** Markdown as it reads; the library comes when it is needed. */
export function Preview({ children }: { readonly children: string }) {
  const t = useText();
  // Typing stays fast while a long text is drawn.
  const content = useDeferredValue(children);
  return (
    <Suspense fallback={<p className="muted">{t("skills.previewLoading")}</p>}>
      <Markdown>{content}</Markdown>
    </Suspense>
  );
}
