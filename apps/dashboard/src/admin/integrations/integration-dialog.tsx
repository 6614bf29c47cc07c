import type { components } from '@weft/client';
import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ErrorNotice } from '../../ui/error-notice';
import classes from '../admin.module.css';

export type Integration = components['schemas']['Integration'];

interface IntegrationDialogProps {
  /** The one to change; none: a new one. */
  readonly link?: Integration;
  readonly onClose: () => void;
}

export function IntegrationDialog({ link, onClose }: IntegrationDialogProps) {
  const queries = useQueryClient();
  const [type, setType] = useState('');
  const [name, setName] = useState(link?.Name ?? '');
  const [endpoint, setEndpoint] = useState(link?.Endpoint ?? '');
  const [token, setToken] = useState('');
  const save = useMutation({
    mutationFn: () => {
      const common = { name: name.trim(), endpoint: endpoint.trim() === '' ? null : endpoint.trim() };
      if (!link) {
        const body = { ...common, type: type.trim(), access_token: token };
        return answerOf(api.POST('/api/v1/integrations', { body }));
      }
      const body = { ...common, ...(token !== '' && { access_token: token }) };
      return answerOf(api.PATCH('/api/v1/integrations/{id}', { params: { path: { id: link.id } }, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['integrations'] });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={link ? `Change “${link.Name}”` : 'New integration'}>
      <form onSubmit={submit} className={classes.form}>
        {!link && (
          <TextInput
            label="Type"
            description="What it is a link to, for example smtp or slack."
            required
            data-autofocus
            value={type}
            error={faultOf(save.error, 'type')}
            onChange={(event) => setType(event.currentTarget.value)}
          />
        )}
        <TextInput
          label="Name"
          required
          value={name}
          error={faultOf(save.error, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Endpoint"
          description="Only where it is not the one of the service itself."
          placeholder="https://api.example.org"
          value={endpoint}
          error={faultOf(save.error, 'endpoint')}
          onChange={(event) => setEndpoint(event.currentTarget.value)}
        />
        <PasswordInput
          label={link ? 'New token' : 'Token'}
          description={
            link
              ? 'Empty: the stored one stays.'
              : 'Of a mail server user:password; of a chat the address of its incoming webhook. It is not shown again.'
          }
          required={!link}
          autoComplete="off"
          value={token}
          error={faultOf(save.error, 'access_token')}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        {save.isError && <ErrorNotice error={save.error} />}
        <Button type="submit" loading={save.isPending}>
          {link ? 'Save' : 'Make the integration'}
        </Button>
      </form>
    </Modal>
  );
}
