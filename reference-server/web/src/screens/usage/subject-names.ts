import type { Client } from "@admin/clients";
import type { Connector } from "@admin/connectors";
import type { User } from "@admin/people";
import type { Resource } from "@admin/resources";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import type { Subject, SubjectName } from "./usage-query";

/** What the subject of the numbers is called. What is gone, or not read yet, has no name. */
export function useSubjectNames(subject: Subject): Readonly<Record<SubjectName, string | undefined>> {
  const { client, user, service, connector } = subject;
  const app = useItem<Client>(apiPath("clients", client ?? ""), { enabled: client !== undefined });
  const person = useItem<User>(apiPath("users", user ?? ""), { enabled: user !== undefined });
  const resource = useItem<Resource>(apiPath("resources", service ?? ""), {
    enabled: service !== undefined,
  });
  const third = useItem<Connector>(apiPath("connectors", connector ?? ""), {
    enabled: connector !== undefined,
  });
  return {
    client: app.data?.name,
    user: person.data?.name ?? person.data?.email ?? undefined,
    service: resource.data?.name,
    connector: third.data?.name,
  };
}
