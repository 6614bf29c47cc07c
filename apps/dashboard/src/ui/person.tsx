import { useUserNames } from '../admin/user-names';
import { useMe } from '../session/me';

/** A user as others know them; the id for who may not read users. */
export function Person({ id }: { readonly id: string }) {
  const me = useMe();
  const name = useUserNames().get(id);
  if (id === me.user.id) return <>you</>;
  return name === undefined ? (
    <code className="soft" title="A user of your company">
      {id}
    </code>
  ) : (
    <bdi>{name}</bdi>
  );
}
