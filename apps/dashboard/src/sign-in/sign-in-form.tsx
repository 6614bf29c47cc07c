import { Button, Divider, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, plainApi } from '../api/client';
import { signIn } from '../session/session';
import { ErrorNotice } from '../ui/error-notice';
import classes from './sign-in-form.module.css';

interface SignInFormProps {
  /** Known where a session has expired. */
  readonly email?: string;
  readonly onSignedIn: () => Promise<void> | void;
  /** Where a provider sends the browser afterwards. */
  readonly returnTo: string;
  /** True where the page must stay: the provider is then opened in a window of its own. */
  readonly inWindow?: boolean;
}

export function SignInForm({ email: known = '', onSignedIn, returnTo, inWindow = false }: SignInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const enter = useMutation({
    mutationFn: async () => {
      await signIn({ email: email.trim(), password });
      await onSignedIn();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <>
      <form onSubmit={submit} className={classes.form}>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          size="sm"
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          size="sm"
          autoFocus={known !== ''}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {enter.isError && <ErrorNotice error={enter.error} />}
        <Button type="submit" size="sm" loading={enter.isPending}>
          Sign in
        </Button>
      </form>
      <Providers returnTo={returnTo} inWindow={inWindow} />
    </>
  );
}

function Providers({ returnTo, inWindow }: { readonly returnTo: string; readonly inWindow: boolean }) {
  const { data } = useQuery({
    queryKey: ['providers'],
    queryFn: () => answerOf(plainApi.GET('/api/v1/auth/providers')),
    staleTime: Infinity,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <div className={classes.form}>
      <Divider label="or" />
      {data.items.map(({ id, name, login_url }) => (
        <Button
          key={id}
          component="a"
          href={`${login_url}?returnTo=${encodeURIComponent(returnTo)}`}
          {...(inWindow && { target: '_blank' })}
          variant="default"
          size="sm"
        >
          Continue with {name}
        </Button>
      ))}
    </div>
  );
}
