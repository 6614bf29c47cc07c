import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { NameDialog } from '../../ui/name-dialog';
import { Paged } from '../../ui/paged';
import { Table } from '../../ui/table';
import { usePages } from '../../ui/use-pages';
import { AdminPage } from '../admin-page';
import { useUserNames } from '../user-names';
import { GROUPS_KEY } from './groups';

const SHOWN = 6;

export function GroupsPage() {
  const [isMaking, setMaking] = useState(false);
  return (
    <AdminPage at="/admin/groups" title="Groups" aside={<Button onClick={() => setMaking(true)}>New group …</Button>}>
      <Groups />
      {isMaking && (
        <NameDialog
          title="New group"
          action="Make the group"
          stales={GROUPS_KEY}
          save={(name) => answerOf(api.POST('/api/v1/groups', { body: { name } }))}
          onClose={() => setMaking(false)}
        />
      )}
    </AdminPage>
  );
}

function Groups() {
  const names = useUserNames();
  const pages = usePages(GROUPS_KEY, (cursor) => answerOf(api.GET('/api/v1/groups', { params: { query: cursor } })));
  const text = (members: readonly string[]): string => {
    const shown = members.slice(0, SHOWN).map((id) => names.get(id) ?? id);
    return members.length > SHOWN ? `${shown.join(', ')} and ${members.length - SHOWN} more` : shown.join(', ');
  };
  return (
    <Paged pages={pages}>
      {(groups) => (
        <Table
          caption="Groups"
          hideCaption
          columns={['Name', 'Members', '']}
          empty="No group yet. What is granted to a group, all of its members may."
          rows={groups.map(({ id, name, members }) => ({
            key: id,
            cells: [
              <Link key="name" to="/admin/groups/$groupId" params={{ groupId: id }}>
                {name}
              </Link>,
              <span key="count" className="num">
                {members.length.toLocaleString()}
              </span>,
              <span key="members" className="soft">
                {text(members)}
              </span>,
            ],
          }))}
        />
      )}
    </Paged>
  );
}
