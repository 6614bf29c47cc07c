import { Button, Select, Skeleton, Switch } from '@mantine/core';
import { atLeast, rulesOver } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flowGroupsQuery } from '../../admin/access/access';
import { groupsQuery } from '../../admin/groups/groups';
import { answerOf, api } from '../../api/client';
import { Person } from '../../ui/person';
import { may, roleOf, useMe } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { ErrorNotice } from '../../ui/error-notice';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useFlowChange, type Flow } from '../queries';
import { useFlowRights } from '../rights';
import { GrantDialog, MAY } from './grant-dialog';
import { grantsKey, grantsQuery, type Grant } from './queries';
import { RoleRights } from './role-rights';
import classes from '../../ui/form.module.css';

/** Who may what with the flow. */
export function AccessTab({ flow }: { readonly flow: Flow }) {
  const me = useMe();
  const rights = useFlowRights(flow);
  const decides = rulesOver({ userId: me.user.id, role: roleOf(me) }, flow.createdBy);
  const change = useFlowChange(flow);
  const set = (body: { restricted: boolean } | { groupId: string | null }): void =>
    change.mutate(body, { onError: showError });
  return (
    <div className={classes.form}>
      <Switch
        size="xs"
        label="Restricted"
        description="Roles give no right on it: only admins, its creator and those with a grant may use it."
        checked={flow.restricted}
        // who was granted to edit it may restrict it, and not let everybody in again
        disabled={!rights.edit || (flow.restricted && !decides) || change.isPending}
        onChange={(event) => set({ restricted: event.currentTarget.checked })}
      />
      <FlowGroup value={flow.groupId} mayChange={rights.edit} onChange={(groupId) => set({ groupId })} />
      {decides ? (
        <Grants flow={flow} />
      ) : (
        <p className="soft">Admins and its creator see who has a grant, and give grants.</p>
      )}
      <RoleRights isRestricted={flow.restricted} />
      <p className="soft">
        Its creator (<Person id={flow.createdBy} />) may do everything with it.
      </p>
    </div>
  );
}

interface FlowGroupProps {
  readonly value: string | null;
  readonly mayChange: boolean;
  readonly onChange: (id: string | null) => void;
}

function FlowGroup({ value, mayChange, onChange }: FlowGroupProps) {
  const { data } = useQuery(flowGroupsQuery);
  if (!data || (data.length === 0 && value === null)) return null;
  return (
    <Select
      label="Flow group"
      description="Grants on a group reach all flows in it."
      placeholder="In no group"
      clearable
      maw={320}
      disabled={!mayChange}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
    />
  );
}

function Grants({ flow }: { readonly flow: Flow }) {
  const me = useMe();
  const isAdmin = may(me, atLeast('admin'));
  const queries = useQueryClient();
  const [open, setOpen] = useState<Grant | 'new' | null>(null);
  const [revoking, setRevoking] = useState<Grant | null>(null);
  const { data: grants, error } = useQuery(grantsQuery(flow.id));
  const groups = useQuery({ ...groupsQuery, enabled: isAdmin });
  const revoke = useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/v1/access/grants/{id}', { params: { path: { id } } })),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: grantsKey(flow.id) }),
  });
  if (error) return <ErrorNotice error={error} />;
  if (!grants) return <Skeleton height={100} />;
  const nameOf = ({ GrantType, GranteeID }: Grant) =>
    GrantType === 'user' ? (
      <Person id={GranteeID} />
    ) : (
      <>group {groups.data?.find(({ id }) => id === GranteeID)?.name ?? GranteeID}</>
    );
  return (
    <div>
      <Table
        caption="Grants"
        columns={['To', 'May', 'Since', '']}
        empty="Nobody has a grant on this flow."
        rows={grants.map((grant) => ({
          key: grant.id,
          cells: [
            <span key="to">{nameOf(grant)}</span>,
            grant.Permissions.map((permission) => MAY[permission]).join(', '),
            <Time key="at" at={grant.CreatedAt} />,
            <div key="do" className={classes.row}>
              <Button variant="default" size="compact-xs" onClick={() => setOpen(grant)}>
                Change …
              </Button>
              <Button variant="default" size="compact-xs" onClick={() => setRevoking(grant)}>
                Revoke …
              </Button>
            </div>,
          ],
        }))}
      />
      <Button mt="sm" onClick={() => setOpen('new')}>
        Grant access …
      </Button>
      {open !== null && (
        <GrantDialog
          flowId={flow.id}
          grant={open === 'new' ? undefined : open}
          knowsPeople={isAdmin}
          onClose={() => setOpen(null)}
        />
      )}
      {revoking && (
        <Confirm
          title="Revoke this grant?"
          action="Revoke"
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => setRevoking(null)}
        >
          From now on {nameOf(revoking)} may do what the role allows, and no more.
        </Confirm>
      )}
    </div>
  );
}
