import { Button, Checkbox, Modal, MultiSelect, NumberInput, Select, TextInput } from '@mantine/core';
import type { components } from '@weft/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { flowNamesQuery } from '../flows/flow-names';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import classes from './account.module.css';

const SCOPES = [
  { value: 'api:read', label: 'api:read: read flows and plays' },
  { value: 'api:plays', label: 'api:plays: run flows and handle plays' },
  { value: 'flow:execute', label: 'flow:execute: run flows, read own plays' },
  { value: 'api:flows', label: 'api:flows: build flows and schedules' },
  { value: 'api', label: 'api: everything about flows and plays' },
  { value: 'webhooks', label: 'webhooks: webhooks and their deliveries' },
  { value: 'mcp', label: 'mcp: for an agent, with limits' },
  { value: 'admin', label: 'admin: users, keys and settings' },
];
const DAY = 86_400_000;
const LIVES = [
  { value: '1', label: 'a day' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '364', label: 'a year' },
];

type Limits = NonNullable<components['schemas']['CreateApiKeyBody']['mcp']>;

interface NewApiKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

export function NewApiKey({ opened, onClose, onMade }: NewApiKeyProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(['api:plays']);
  const [limits, setLimits] = useState<Limits>({});
  const isForAgent = scopes.includes('mcp');
  const [days, setDays] = useState('90');
  const make = useMutation({
    mutationFn: () => {
      const expires_at = new Date(Date.now() + Number(days) * DAY).toISOString();
      return answerOf(
        api.POST('/api/v1/admin/api-keys', {
          body: { name, scope: scopes.join(','), expires_at, ...(isForAgent && { mcp: limits }) },
        }),
      );
    },
    onSuccess: onMade,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  const close = (): void => {
    make.reset();
    setName('');
    onClose();
  };
  return (
    <Modal
      size="26rem"
      opened={opened}
      onClose={close}
      title="New API key"
      closeOnClickOutside={!make.isSuccess}
      closeOnEscape={!make.isSuccess}
    >
      {make.data ? (
        <div className={classes.form}>
          <p>This is the only time that the token is shown. Copy it now.</p>
          <div className={classes.token}>
            <CopyText text={make.data.token} />
          </div>
          <Button onClick={close}>Done</Button>
        </div>
      ) : (
        <form onSubmit={submit} className={classes.form}>
          <TextInput
            label="Name"
            description="What the key is for."
            required
            maxLength={200}
            data-autofocus
            value={name}
            error={faultOf(make.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <MultiSelect
            label="May"
            data={SCOPES}
            value={[...scopes]}
            error={faultOf(make.error, 'scope')}
            onChange={setScopes}
          />
          {isForAgent && <AgentLimits limits={limits} onChange={setLimits} />}
          <Select label="Ends after" data={LIVES} value={days} onChange={(value) => setDays(value ?? days)} />
          {make.isError && <ErrorNotice error={make.error} />}
          <Button type="submit" disabled={scopes.length === 0} loading={make.isPending}>
            Make the key
          </Button>
        </form>
      )}
    </Modal>
  );
}

interface AgentLimitsProps {
  readonly limits: Limits;
  readonly onChange: (limits: Limits) => void;
}

/** Of a key that an agent gets: docs/mcp.md. */
function AgentLimits({ limits, onChange }: AgentLimitsProps) {
  const { data: names } = useQuery(flowNamesQuery);
  return (
    <>
      <MultiSelect
        label="Only these flows"
        description="Empty: all, and new ones."
        searchable
        limit={100}
        maxValues={100}
        data={[...(names ?? [])].map(([value, label]) => ({ value, label }))}
        value={[...(limits.flow_ids ?? [])]}
        onChange={(flow_ids) => {
          const { flow_ids: _, ...others } = limits;
          onChange(flow_ids.length === 0 ? others : { ...others, flow_ids });
        }}
      />
      <Checkbox
        label="Writes only flows that are disabled, and enables none"
        checked={limits.drafts_only ?? false}
        onChange={(event) => onChange({ ...limits, drafts_only: event.currentTarget.checked })}
      />
      <Checkbox
        label="Decides approvals, but not of plays that it may have started"
        checked={limits.decide_approvals ?? false}
        onChange={(event) => onChange({ ...limits, decide_approvals: event.currentTarget.checked })}
      />
      <NumberInput
        label="Plays in a minute"
        description="Empty: no limit."
        min={1}
        max={10_000}
        allowDecimal={false}
        value={limits.plays_per_minute ?? ''}
        onChange={(value) => {
          const { plays_per_minute: _, ...others } = limits;
          onChange(Number(value) > 0 ? { ...others, plays_per_minute: Number(value) } : others);
        }}
      />
    </>
  );
}
