import { Button } from '@mantine/core';
import type { components } from '@weft/client';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { Confirm } from '../ui/confirm';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { useCommand } from '../ui/use-command';

type ApiKey = components['schemas']['ApiKey'];

/** Of all lists of keys. */
export const KEYS_KEY = ['api-keys'] as const;

interface KeyTableProps {
  readonly caption: string;
  readonly keys: readonly ApiKey[];
  readonly empty: string;
  /** The name of whom a key acts as; without it they all act as the one who looks. */
  readonly nameOf?: (userId: string) => string;
}

export function KeyTable({ caption, keys, empty, nameOf }: KeyTableProps) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const revoke = useCommand({
    send: ({ id }: ApiKey) =>
      answerOf(api.DELETE('/api/v1/admin/api-keys/{key_id}', { params: { path: { key_id: id } } })),
    stales: KEYS_KEY,
    says: ({ name }) => `“${name}” is revoked.`,
  });
  return (
    <>
      <Table
        caption={caption}
        hideCaption
        columns={['Name', ...(nameOf ? ['Acts as'] : []), 'Scope', 'Ends', 'Last used', '']}
        empty={empty}
        rows={keys.map((key) => ({
          key: key.id,
          cells: [
            key.name,
            ...(nameOf ? [nameOf(key.user_id)] : []),
            <span key="scope">
              <code>{key.scope}</code>
              {key.mcp &&
                limitWords(key.mcp).map((each) => (
                  <div key={each} className="soft">
                    {each}
                  </div>
                ))}
            </span>,
            <Time key="ends" at={key.expires_at} />,
            <Time key="used" at={key.last_used_at} fallback="never" />,
            key.revoked_at ? (
              'revoked'
            ) : (
              <Button key="revoke" variant="default" onClick={() => setRevoking(key)}>
                Revoke …
              </Button>
            ),
          ],
        }))}
      />
      {revoking && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          action="Revoke"
          onConfirm={() => revoke.mutate(revoking)}
          onClose={() => setRevoking(null)}
        >
          Programs that use this key are refused from now on. It cannot be taken back.
        </Confirm>
      )}
    </>
  );
}

/** Of a key that an agent has. */
function limitWords({ flow_ids, drafts_only, decide_approvals, plays_per_minute }: NonNullable<ApiKey['mcp']>) {
  const flows = flow_ids?.length;
  return [
    ...(flows === undefined ? [] : [`only ${flows} ${flows === 1 ? 'flow' : 'flows'}`]),
    ...(drafts_only === true ? ['writes disabled flows only'] : []),
    ...(decide_approvals === true ? ['decides approvals'] : []),
    ...(plays_per_minute === undefined ? [] : [`at most ${plays_per_minute} plays a minute`]),
  ];
}
