import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { type ListPage, useList } from "../../api/queries";
import { useMay } from "../../api/session";
import type { Query } from "../../api/request";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Icon } from "../../parts/icon";
import { Breakable } from "../../parts/identifier";
import { RecordRows } from "../../parts/record-rows";

/** A list this long gets a search field. */
const searchable = 10;
const pageSize = 20;

interface Person {
  readonly id: string | null;
  readonly email: string | null;
  readonly name: string | null;
}

export interface PeoplePage<Item> extends ListPage<Item> {
  readonly people: number;
}

/** A list of people, a page at a time, with its search. */
export function usePeople<Page extends PeoplePage<Person>>(path: string, query: Query = {}) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 200);
  const answer = useList<Page["items"][number]>(path, { ...query, q, limit: pageSize });
  // What the API says about the whole list is the same on every page.
  const first = answer.data?.pages[0] as Page | undefined;
  const items = answer.data?.pages.flatMap((page) => page.items) ?? [];
  return { answer, first, items, text, setText, q };
}

export function PeopleList<Page extends PeoplePage<Person>>(props: {
  readonly list: ReturnType<typeof usePeople<Page>>;
  /** Shown until the first page is there. */
  readonly loading: string;
  readonly titleOf?: (person: Page["items"][number]) => ReactNode;
  readonly detailOf: (person: Page["items"][number]) => ReactNode;
  readonly actionOf?: (person: Page["items"][number]) => ReactNode;
}) {
  const { list, loading, titleOf, detailOf, actionOf } = props;
  const { answer, first, items, text, setText, q } = list;
  const t = useText();
  const describe = useDescribeError();
  if (first === undefined) {
    return (
      <p className="muted" role="status">
        {answer.isError ? describe(answer.error) : loading}
      </p>
    );
  }
  return (
    <div className="stack">
      {first.people >= searchable && (
        <TextInput
          type="search"
          aria-label={t("access.search")}
          placeholder={t("access.search")}
          leftSection={<Icon name="search" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {first.people > 0 && items.length === 0 && answer.isSuccess && (
        <p className="muted">{t("access.nothing", { query: q })}</p>
      )}
      <RecordRows
        rows={items.map((person) => ({
          id: person.id ?? person.email ?? "",
          title: titleOf?.(person) ?? <PersonName person={person} />,
          detail: detailOf(person),
          ...(actionOf !== undefined && { action: actionOf(person) }),
        }))}
      />
      {answer.hasNextPage && (
        <div>
          <Button
            variant="default"
            loading={answer.isFetchingNextPage}
            onClick={() => void answer.fetchNextPage()}
          >
            {t("access.more")}
          </Button>
        </div>
      )}
    </div>
  );
}

/** A person's name, with a link to their screen once they have signed in, for those who may open it. */
export function PersonLink({ person: { id, email, name } }: { readonly person: Person }) {
  const text = <Breakable>{name ?? email ?? id ?? ""}</Breakable>;
  const may = useMay();
  return id === null || !may("GET /users/{id}") ? text : <Link to={screenPath("users", id)}>{text}</Link>;
}

function PersonName({ person }: { readonly person: Person }) {
  const t = useText();
  const { id, email, name } = person;
  return (
    <>
      <PersonLink person={person} />
      {name !== null && email !== null && (
        <>
          {" "}
          <span className="muted">
            <Breakable>{email}</Breakable>
          </span>
        </>
      )}
      {id === null && <span className="muted"> {t("access.neverSignedIn")}</span>}
    </>
  );
}
