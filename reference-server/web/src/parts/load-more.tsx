import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useText } from "../text/text";

/** Loads the next page when it comes near the window, or with a button for keyboard users. */
export function LoadMore({ loading, onLoad }: { readonly loading: boolean; readonly onLoad: () => void }) {
  const t = useText();
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onLoad);
  latest.current = onLoad;
  useEffect(() => {
    const element = place.current;
    if (element === null || loading) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
      },
      { rootMargin: "400px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [loading]);
  return (
    <div className="table-more" ref={place}>
      <Button variant="default" onClick={onLoad} loading={loading}>
        {t("parts.table.more")}
      </Button>
    </div>
  );
}
