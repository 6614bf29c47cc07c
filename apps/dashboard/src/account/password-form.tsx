import { Button, PasswordInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, plainApi } from '../api/client';
import { faultOf } from '../api/refusal';
import { useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import classes from './account.module.css';

export function PasswordForm() {
  const me = useMe();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    // a wrong password is 401, too: this request must not ask for another sign-in
    mutationFn: () =>
      answerOf(plainApi.POST('/api/v1/auth/password', { body: { current_password: current, new_password: next } })),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      notifications.show({ message: 'Your password is changed; your other sessions have ended.' });
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <h2>Change your password</h2>
      <input type="text" hidden autoComplete="username" value={me.user.email} readOnly />
      <PasswordInput
        label="Password now"
        autoComplete="current-password"
        required
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        label="New password"
        description="12 characters or more, and not a common one."
        autoComplete="new-password"
        required
        minLength={12}
        value={next}
        error={faultOf(change.error, 'new_password')}
        onChange={(event) => setNext(event.currentTarget.value)}
      />
      {change.isError && <ErrorNotice error={change.error} />}
      <div>
        <Button type="submit" loading={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
