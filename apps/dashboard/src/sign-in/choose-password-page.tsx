import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, plainApi } from '../api/client';
import { faultOf } from '../api/refusal';
import { ErrorNotice } from '../ui/error-notice';
import { Card } from './card';
import classes from './sign-in-form.module.css';

export function InvitePage() {
  const { token } = useSearch({ from: '/invite' });
  return (
    <ChoosePassword title="Welcome to Weft" token={token} lead="You are invited. Choose a password for your account." />
  );
}

export function ResetPasswordPage() {
  const { token } = useSearch({ from: '/reset-password' });
  return (
    <ChoosePassword title="New password" token={token} lead="Choose a new password. All your sessions have ended." />
  );
}

interface ChoosePasswordProps {
  readonly title: string;
  readonly lead: string;
  readonly token: string | undefined;
}

function ChoosePassword({ title, lead, token }: ChoosePasswordProps) {
  const [password, setPassword] = useState('');
  const accept = useMutation({
    mutationFn: () =>
      answerOf(plainApi.POST('/api/v1/auth/password/accept', { body: { token: token ?? '', password } })),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    accept.mutate();
  };
  if (token === undefined || token === '') {
    return (
      <Card title={title}>
        <p>This link is not whole: what follows “token=” is missing. Copy all of it from the message that you got.</p>
      </Card>
    );
  }
  if (accept.isSuccess) {
    return (
      <Card title="Your password is set">
        <p>The link has done its work; sign in with your e-mail address and the password.</p>
        <Button component={Link} to="/login" size="sm">
          Sign in
        </Button>
      </Card>
    );
  }
  return (
    <Card title={title}>
      <p>{lead}</p>
      <form onSubmit={submit} className={classes.form}>
        <PasswordInput
          label="Password"
          description="12 characters or more, and not a common one."
          autoComplete="new-password"
          required
          minLength={12}
          size="sm"
          autoFocus
          value={password}
          error={faultOf(accept.error, 'password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {accept.isError && <ErrorNotice error={accept.error} />}
        <Button type="submit" size="sm" loading={accept.isPending}>
          Set password
        </Button>
      </form>
    </Card>
  );
}
