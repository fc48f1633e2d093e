import { lazy, Suspense } from "react";
import type { AccessSubject } from "./people-with-access";
import type { HistoryQuery } from "./recent-history";

const PeopleWithAccess = lazy(() => import("./people-with-access"));
const PeopleOfApp = lazy(() => import("./people-of-app"));
const RecentHistory = lazy(() => import("./recent-history"));

/** Who has access to an object, and why. Comes after the page, which does not wait for it. */
export function AccessTo({ subject }: { readonly subject: AccessSubject }) {
  return (
    <Suspense>
      <PeopleWithAccess subject={subject} />
    </Suspense>
  );
}

/** Who is signed in with an app. */
export function UsersOf({ client }: { readonly client: string }) {
  return (
    <Suspense>
      <PeopleOfApp client={client} />
    </Suspense>
  );
}

/** What happened to an object last. */
export function HistoryOf({ query }: { readonly query: HistoryQuery }) {
  return (
    <Suspense>
      <RecentHistory query={query} />
    </Suspense>
  );
}
