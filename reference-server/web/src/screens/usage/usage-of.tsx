import { lazy, Suspense } from "react";
import type { Subject } from "./usage-query";

const UsageSection = lazy(() => import("./usage-section"));

/** The numbers on the page of an object: they come after it, so that the page itself does not wait for charts. */
export function UsageOf({ subject }: { readonly subject: Subject }) {
  return (
    <Suspense>
      <UsageSection subject={subject} />
    </Suspense>
  );
}
