import { Link } from '@tanstack/react-router';
import { KEYS_KEY, KeyTable } from '../account/key-table';
import { answerOf, api } from '../api/client';
import { Paged } from '../ui/paged';
import { usePages } from '../ui/use-pages';
import { AdminPage } from './admin-page';
import { useUserNames } from './user-names';

/** The keys of everybody in the company; one makes one's own under “Your account”. */
export function KeysPage() {
  return (
    <AdminPage
      at="/admin/keys"
      title="API keys"
      aside={
        <Link to="/account" search={{ tab: 'keys' }}>
          Your own keys
        </Link>
      }
    >
      <Keys />
    </AdminPage>
  );
}

function Keys() {
  const names = useUserNames();
  const pages = usePages([...KEYS_KEY, 'all'], (cursor) =>
    answerOf(api.GET('/api/v1/admin/api-keys', { params: { query: cursor } })),
  );
  return (
    <Paged pages={pages}>
      {(keys) => (
        <KeyTable
          caption="API keys"
          keys={keys}
          empty="No key yet. Admins make keys under “Your account”."
          nameOf={(id) => names.get(id) ?? id}
        />
      )}
    </Paged>
  );
}
