import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { linksQuery } from '../../api/links-query';
import { flowNamesQuery } from '../../flows/flow-names';
import { Confirm } from '../../ui/confirm';
import { Paged } from '../../ui/paged';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useCommand } from '../../ui/use-command';
import { usePages } from '../../ui/use-pages';
import { groupsQuery } from '../groups/groups';
import { useUserNames } from '../user-names';
import { GrantDialog } from './grant-dialog';
import { flowGroupsQuery, GRANTS_KEY, RESOURCES, type Grantee, type Grant } from './access';

/** Who may do what with single things: of one grantee, or of the whole company. */
export function Grants({ grantee }: { readonly grantee?: Grantee }) {
  const [isAdding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<Grant | null>(null);
  const nameOf = useResourceNames();
  const granteeName = useGranteeNames();
  const pages = usePages([...GRANTS_KEY, grantee?.id], (cursor) =>
    answerOf(
      api.GET('/api/v1/access/grants', {
        params: { query: { ...cursor, ...(grantee && { grantee_id: grantee.id }) } },
      }),
    ),
  );
  const revoke = useCommand({
    send: ({ id }: Grant) => answerOf(api.DELETE('/api/v1/access/grants/{id}', { params: { path: { id } } })),
    stales: GRANTS_KEY,
    says: ({ ResourceType, ResourceID }) => `The grant on “${nameOf(ResourceType, ResourceID)}” is revoked.`,
  });
  return (
    <>
      <Paged pages={pages}>
        {(grants) => (
          <Table
            caption="Grants"
            hideCaption={grantee === undefined}
            columns={[...(grantee ? [] : ['To']), 'May', 'On', 'Kind', 'Since', '']}
            empty="No grant. A role already opens what is not restricted; a grant opens one thing more."
            rows={grants.map((grant) => ({
              key: grant.id,
              cells: [
                ...(grantee ? [] : [granteeName(grant.GrantType, grant.GranteeID)]),
                grant.Permissions.join(', '),
                nameOf(grant.ResourceType, grant.ResourceID),
                RESOURCES[grant.ResourceType],
                <Time key="at" at={grant.CreatedAt} />,
                <Button key="revoke" variant="default" onClick={() => setRevoking(grant)}>
                  Revoke …
                </Button>,
              ],
            }))}
          />
        )}
      </Paged>
      <div>
        <Button variant="default" onClick={() => setAdding(true)}>
          Grant something …
        </Button>
      </div>
      {isAdding && <GrantDialog {...(grantee && { grantee })} onClose={() => setAdding(false)} />}
      {revoking && (
        <Confirm
          title="Revoke this grant?"
          action="Revoke"
          onConfirm={() => revoke.mutate(revoking)}
          onClose={() => setRevoking(null)}
        >
          What it opened on “{nameOf(revoking.ResourceType, revoking.ResourceID)}” is closed within a second, unless a
          role or another grant opens it.
        </Confirm>
      )}
    </>
  );
}

function useGranteeNames(): (type: Grant['GrantType'], id: string) => string {
  const users = useUserNames();
  const { data: groups } = useQuery(groupsQuery);
  return (type, id) => {
    if (type === 'user') return users.get(id) ?? id;
    const name = groups?.find((group) => group.id === id)?.name;
    return name === undefined ? id : `group “${name}”`;
  };
}

function useResourceNames(): (type: Grant['ResourceType'], id: string) => string {
  const { data: flows } = useQuery(flowNamesQuery);
  const { data: groups } = useQuery(flowGroupsQuery);
  const { data: links } = useQuery(linksQuery);
  return (type, id) => {
    if (type === 'flow') return flows?.get(id) ?? id;
    if (type === 'flow_group') return groups?.find((group) => group.id === id)?.name ?? id;
    return links?.find((link) => link.id === id)?.Name ?? id;
  };
}
