import type { Assignment } from "@admin/assignments";
import { Link, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable } from "../../parts/identifier";

/** The person or group of an assignment, in one word. */
export function assignee({ email, group }: Assignment): string {
  return email ?? group?.key ?? "";
}

/** The screen with details: the explanation of a person's scope, or the other assignments of a group. */
export function toDetails({ email, group, scope }: Assignment): string {
  if (email !== null) return withQuery("/explain", { email, scope });
  return withQuery("/assignments", { group: group === null ? undefined : `${group.provider}:${group.key}` });
}

/** The person or group of an assignment, with details. */
export function Assignee({ assignment }: { readonly assignment: Assignment }) {
  const t = useText();
  const { email, person, group } = assignment;
  const link = (
    <Link to={toDetails(assignment)}>
      <Breakable>{person?.name ?? email ?? group?.key ?? ""}</Breakable>
    </Link>
  );
  if (group !== null) {
    return (
      <>
        {link}
        <div className="muted">{t("assignments.groupOf", { provider: group.providerName })}</div>
      </>
    );
  }
  const state =
    person === null ? t("assignments.neverSignedIn") : person.enabled ? undefined : t("assignments.disabled");
  const known = person?.name === null || person === null ? undefined : email;
  return (
    <>
      {link}
      <div className="muted">
        <Breakable>{[known, state].filter(Boolean).join(" · ")}</Breakable>
      </div>
    </>
  );
}
