import { Button, Modal, Select, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import classes from './account.module.css';

const SCOPES = [
  { value: 'api:read', label: 'api:read: read flows and plays' },
  { value: 'api:plays', label: 'api:plays: run flows and handle plays' },
  { value: 'flow:execute', label: 'flow:execute: run flows, read own plays' },
  { value: 'api:flows', label: 'api:flows: build flows and schedules' },
  { value: 'api', label: 'api: everything about flows and plays' },
  { value: 'admin', label: 'admin: users, keys and settings' },
];
const DAY = 86_400_000;
const LIVES = [
  { value: '1', label: 'a day' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '364', label: 'a year' },
];

interface NewApiKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

export function NewApiKey({ opened, onClose, onMade }: NewApiKeyProps) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState('api:plays');
  const [days, setDays] = useState('90');
  const make = useMutation({
    mutationFn: () => {
      const expires_at = new Date(Date.now() + Number(days) * DAY).toISOString();
      return answerOf(api.POST('/api/v1/admin/api-keys', { body: { name, scope, expires_at } }));
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
          <Select label="May" data={SCOPES} value={scope} onChange={(value) => setScope(value ?? scope)} />
          <Select label="Ends after" data={LIVES} value={days} onChange={(value) => setDays(value ?? days)} />
          {make.isError && <ErrorNotice error={make.error} />}
          <Button type="submit" loading={make.isPending}>
            Make the key
          </Button>
        </form>
      )}
    </Modal>
  );
}
