import type { NewStop, Stop } from "@admin/stops";
import { apiPath } from "../../api/request";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { personName } from "../../parts/person";
import { useText } from "../../text/text";

/** What a stop is about, with the names that people know. */
export type StopSubject =
  | { readonly kind: "all" }
  | { readonly kind: "user"; readonly user: Named }
  | { readonly kind: "client"; readonly client: Named }
  | { readonly kind: "app"; readonly user: Named; readonly client: Named }
  | { readonly kind: "service"; readonly service: Named };

/** A service is named by its key. */
interface Named {
  readonly id: string;
  readonly name: string;
}

const affects = ["/stops", "/grants", "/users", "/clients", "/overview"];

function toRequest(subject: StopSubject): NewStop {
  if (subject.kind === "all") return { kind: "all" };
  if (subject.kind === "user") return { kind: "user", user: subject.user.id };
  if (subject.kind === "client") return { kind: "client", client: subject.client.id };
  if (subject.kind === "service") return { kind: "service", service: subject.service.id };
  return { kind: "app", user: subject.user.id, client: subject.client.id };
}

function namesOf(subject: StopSubject): { user: string; client: string; service: string } {
  return {
    user: "user" in subject ? subject.user.name : "",
    client: "client" in subject ? subject.client.name : "",
    service: "service" in subject ? subject.service.name : "",
  };
}

/** The subject of a stop that is set. */
export function subjectOf({ kind, user, client, service }: Stop): StopSubject {
  const person = user && { id: user.id, name: personName(user) };
  if (kind === "user" && person !== null) return { kind, user: person };
  if (kind === "client" && client !== null) return { kind, client };
  if (kind === "app" && person !== null && client !== null) return { kind, user: person, client };
  if (kind === "service" && service !== null)
    return { kind, service: { id: service.key, name: service.name } };
  return { kind: "all" };
}

/** The subject in words. */
export function useSubjectName(): (subject: StopSubject) => string {
  const t = useText();
  return (subject) => t(`stops.kinds.${subject.kind}`, namesOf(subject));
}

/** Stops something, after showing what that ends. */
export function StopDialog({
  subject,
  onClose,
}: {
  readonly subject: StopSubject;
  readonly onClose: () => void;
}) {
  const t = useText();
  const nameOf = useSubjectName();
  return (
    <ConfirmChange<Stop>
      title={t(`stops.titles.${subject.kind}`, namesOf(subject))}
      confirmLabel={subject.kind === "all" ? t("stops.stopAll") : t("stops.stop")}
      path="/stops"
      options={{ method: "POST", body: toRequest(subject) }}
      affects={affects}
      done={() => t("stops.stopped", { name: nameOf(subject) })}
      onClose={onClose}
    >
      <p>{t(`stops.texts.${subject.kind}`)}</p>
    </ConfirmChange>
  );
}

/** Starts something again, which is decided by itself. */
export function StartDialog({ stop, onClose }: { readonly stop: Stop; readonly onClose: () => void }) {
  const t = useText();
  const name = useSubjectName()(subjectOf(stop));
  return (
    <ConfirmChange<undefined>
      title={t("stops.startTitle", { name })}
      confirmLabel={t("stops.start")}
      path={apiPath("stops", stop.id)}
      options={{ method: "DELETE" }}
      affects={affects}
      done={() => t("stops.started", { name })}
      onClose={onClose}
    >
      <p>{t("stops.startText")}</p>
    </ConfirmChange>
  );
}
