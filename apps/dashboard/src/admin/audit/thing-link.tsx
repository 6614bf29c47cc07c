import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { flowNamesQuery } from '../../flows/flow-names';
import { useUserNames } from '../user-names';

interface ThingLinkProps {
  readonly type: string | null;
  readonly id: string | null;
}

/** What an entry is about, by name where it is known, with the way to its page where it has one. */
export function ThingLink({ type, id }: ThingLinkProps) {
  const { data: flows } = useQuery(flowNamesQuery);
  const users = useUserNames();
  if (type === null || id === null) return <>{type ?? '–'}</>;
  if (type === 'play') {
    return (
      <Link to="/plays/$playId" params={{ playId: id }}>
        play <code>{id}</code>
      </Link>
    );
  }
  if (type === 'user') {
    return (
      <Link to="/admin/users/$userId" params={{ userId: id }}>
        {users.get(id) ?? id}
      </Link>
    );
  }
  if (type === 'group') {
    return (
      <Link to="/admin/groups/$groupId" params={{ groupId: id }}>
        group <code>{id}</code>
      </Link>
    );
  }
  if (type === 'flow') {
    return (
      <Link to="/plays" search={{ flowId: id }}>
        {flows?.get(id) ?? id}
      </Link>
    );
  }
  return (
    <>
      {type.replaceAll('_', ' ')} <code>{id}</code>
    </>
  );
}
