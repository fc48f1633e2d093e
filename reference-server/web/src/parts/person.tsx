import { screenPath } from "../address/links";
import { NameCell } from "./columns";
import { Breakable } from "./identifier";

export interface Person {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
}

/** A person's name, else the address, else the id. */
export function personName({ id, name, email }: Person): string {
  return name ?? email ?? id;
}

/** A person in a list, with a link to their screen. */
export function PersonCell({ person }: { readonly person: Person }) {
  const { id, name, email } = person;
  return (
    <NameCell to={screenPath("users", id)} name={<Breakable>{personName(person)}</Breakable>}>
      {name === null || email === null ? undefined : <Breakable>{email}</Breakable>}
    </NameCell>
  );
}
