import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { Dialog } from '../../ui/dialog';
import { ErrorNotice } from '../../ui/error-notice';
import { Once } from '../once';
import type { User } from './user';
import classes from '../admin.module.css';

interface ResetDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** A link by which somebody chooses a new password; all their sessions end. */
export function ResetDialog({ user, onClose }: ResetDialogProps) {
  const [endIdentities, setEndIdentities] = useState(false);
  const [revokeKeys, setRevokeKeys] = useState(false);
  const reset = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/v1/users/{id}/password-reset', {
          params: { path: { id: user.id } },
          body: { end_identities: endIdentities, revoke_api_keys: revokeKeys },
        }),
      ),
  });
  if (reset.data) {
    const { reset_url, identities, api_keys } = reset.data;
    const open = [
      ...identities.map(({ issuer }) => `the account at ${issuer}`),
      ...api_keys.map(({ name }) => `the key “${name}”`),
    ];
    return (
      <Once
        title={`Send this link to ${user.email}`}
        says={`It is good once, for 72 hours, and is shown only now. ${open.length === 0 ? 'Nothing else opens the account.' : `These still open the account: ${open.join(', ')}.`}`}
        text={reset_url}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog onClose={onClose} title={`Reset the password of ${user.name ?? user.email}?`}>
      <div className={classes.form}>
        <p>Their password no longer works, and all their sessions end.</p>
        <Checkbox
          label="Untie their accounts at identity providers, too"
          checked={endIdentities}
          onChange={(event) => setEndIdentities(event.currentTarget.checked)}
        />
        <Checkbox
          label="Revoke their API keys, too"
          checked={revokeKeys}
          onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
        />
        {reset.isError && <ErrorNotice error={reset.error} />}
        <div className={classes.row}>
          <Button color="red.9" loading={reset.isPending} onClick={() => reset.mutate()}>
            Reset, and make a link
          </Button>
          <Button variant="default" data-autofocus onClick={onClose}>
            Not now
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
