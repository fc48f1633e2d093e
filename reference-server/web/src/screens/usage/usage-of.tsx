import { lazy, Suspense } from "react";
import type { Subject } from "./usage-query";

const DenialsSection = lazy(() => import("./denials-section"));
const SkillSection = lazy(() => import("./skill-section"));
const UsageSection = lazy(() => import("./usage-section"));

/** The numbers on the page of an object: they come after it, so that the page itself does not wait for charts. */
export function UsageOf({ subject }: { readonly subject: Subject }) {
  return (
    <Suspense>
      <UsageSection subject={subject} />
    </Suspense>
  );
}

/** To whom a permission was refused. */
export function DenialsOf({ scope }: { readonly scope: string }) {
  return (
    <Suspense>
      <DenialsSection scope={scope} />
    </Suspense>
  );
}

/** How often a skill was read, by the id that agents see. */
export function ReadsOf({ skill }: { readonly skill: string }) {
  return (
    <Suspense>
      <SkillSection skill={skill} />
    </Suspense>
  );
}
