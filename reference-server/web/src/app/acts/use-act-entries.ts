import type { User } from "@admin/people";
import type { Resource } from "@admin/resources";
import type { Scope } from "@admin/scopes";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ListPage } from "../../api/queries";
import { request } from "../../api/request";
import { type Route, useMay } from "../../api/session";
import { type Text, useText } from "../../text/text";
import type { IconName } from "../../parts/icon";
import { personName } from "../../parts/person";
import { withQuery } from "../../address/links";
import type { Act } from "./act";
import { type ActId, actIds, type ActWords, matchingActs, type ParsedAct, parseAct } from "./parse-act";

/** An entry of the palette that fills the field, opens a screen, or opens a dialog. */
export interface ActEntry {
  readonly id: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail?: string;
  readonly fill?: string;
  readonly path?: string;
  readonly act?: Act;
}

const icons: Readonly<Record<ActId, IconName>> = {
  disable: "user",
  enable: "user",
  signOut: "session",
  give: "assignment",
  explain: "explain",
  rotate: "key",
};
/** What each act does or asks. */
const routes: Readonly<Record<ActId, Route>> = {
  disable: "PATCH /users/{id}",
  enable: "PATCH /users/{id}",
  signOut: "POST /users/{id}/sign-outs",
  give: "POST /assignments/bulk",
  explain: "GET /explain",
  rotate: "POST /signing-keys",
};
/** People and permissions suggested at most. */
const mostPeople = 5;
const mostScopes = 3;

/** The acts that the text in the palette may mean. */
export function useActEntries(text: string): {
  readonly entries: readonly ActEntry[];
  /** The text has a verb and an object, so acts come before screens with similar names. */
  readonly isClear: boolean;
  readonly searching: boolean;
} {
  const t = useText();
  const may = useMay();
  const [settled] = useDebouncedValue(text, 150);
  const words = wordsOf(t);
  const act = parseAct(settled, words);
  const parsed = act !== undefined && may(routes[act.id]) ? act : undefined;
  const { id, person = "", scopes = [], service = "" } = parsed ?? {};
  const begun = scopes.at(-1) ?? "";
  const people = useFound<User>("/users", id === "rotate" ? "" : person, mostPeople);
  const known = useFound<Scope>("/scopes", begun, mostScopes);
  const services = useFound<Resource>("/resources", service, 1);
  const searching = [people, known, services].some(({ isFetching }) => isFetching) || settled !== text;
  const isClear = parsed !== undefined && (parsed.id === "rotate" || person !== "");
  if (parsed === undefined || !isClear) {
    const ids = text.trim() === "" ? actIds : matchingActs(text, words);
    return {
      entries: ids.filter((one) => may(routes[one])).map((one) => exampleOf(one, words, t)),
      isClear,
      searching,
    };
  }
  if (parsed.id === "rotate") {
    const entry: ActEntry = {
      id: "act-rotate",
      icon: icons.rotate,
      title: t("palette.acts.rotate.example"),
      act: { kind: "rotate" },
    };
    return { entries: [entry], isClear, searching };
  }
  const completed = completionsOf(scopes, known.data?.items ?? []);
  const place = services.data?.items[0];
  const entries = (people.data?.items ?? []).flatMap((user) =>
    entriesFor(user, { parsed, completed, place, t }),
  );
  return { entries: entries.slice(0, 8), isClear, searching };
}

function exampleOf(id: ActId, { verbs }: ActWords, t: Text): ActEntry {
  const entry = { id: `act-${id}`, icon: icons[id], title: t(`palette.acts.${id}.example`) };
  const [verb = ""] = verbs[id].split(",");
  return id === "rotate" ? { ...entry, act: { kind: "rotate" } } : { ...entry, fill: `${verb} ` };
}

function entriesFor(
  user: User,
  found: {
    readonly parsed: ParsedAct;
    readonly completed: readonly (readonly string[])[];
    readonly place: Resource | undefined;
    readonly t: Text;
  },
): readonly ActEntry[] {
  const { parsed, completed, place, t } = found;
  const { email } = user;
  const name = personName(user);
  const detail = user.name !== null && email !== null && { detail: email };
  const base = (key: string) => ({ id: `act-${user.id}-${key}`, icon: icons[parsed.id], ...detail });
  switch (parsed.id) {
    case "disable":
    case "enable": {
      if (user.enabled !== (parsed.id === "disable")) return [];
      const title = user.enabled
        ? t("palette.acts.disable.entry", { name })
        : t("palette.acts.enable.entry", { name });
      return [{ ...base(""), title, act: { kind: parsed.id, user: user.id } }];
    }
    case "signOut":
      return [
        {
          ...base(""),
          title: t("palette.acts.signOut.entry", { name }),
          act: { kind: "signOut", user: user.id },
        },
      ];
    case "give":
      return completed.flatMap((scopes): readonly ActEntry[] => {
        if (email === null || scopes.length === 0) return [];
        const list = scopes.join(", ");
        const title = t("palette.acts.give.entry", { name, scopes: list });
        return [{ ...base(list), title, act: { kind: "give", email, scopes } }];
      });
    case "explain":
    case "rotate":
    default:
      return completed.flatMap((scopes): readonly ActEntry[] => {
        if (email === null) return [];
        const list = scopes.join(", ");
        const title = t("palette.acts.explain.entry", {
          name,
          what: scopes.length === 0 ? "everything" : "some",
          scopes: list,
          place: place === undefined ? "everywhere" : "one",
          service: place?.name ?? "",
        });
        const path = withQuery("/explain", { email, resource: place?.resource, scope: scopes });
        return [{ ...base(list), title, path }];
      });
  }
}

/** Lists of permissions: all but the last as typed, the last completed in each possible way. */
function completionsOf(scopes: readonly string[], found: readonly Scope[]): readonly (readonly string[])[] {
  const begun = scopes.at(-1);
  if (begun === undefined) return [[]];
  const keys = found.map(({ key }) => key);
  const before = scopes.slice(0, -1);
  return (keys.includes(begun) ? [begun] : keys).map((key) => [...before, key]);
}

/** The first matches of a list; no request without a query. */
function useFound<T>(list: string, q: string, limit: number) {
  return useQuery({
    queryKey: [list, { q, limit }, "palette"],
    queryFn: ({ signal }) => request<ListPage<T>>(list, { query: { q, limit }, signal }),
    enabled: q !== "",
    retry: false,
  });
}

function wordsOf(t: Text): ActWords {
  const verbs = Object.fromEntries(actIds.map((id) => [id, t(`palette.acts.${id}.verbs`)]));
  return {
    verbs: verbs as Record<ActId, string>,
    places: t("palette.acts.places"),
    fillers: t("palette.acts.fillers"),
  };
}
