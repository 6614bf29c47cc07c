import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../session/me';
import { tellTabs } from '../session/tabs';
import { Card } from './card';
import { pathOfThisSite, viaSignedIn } from './return-to';
import { SignInForm } from './sign-in-form';
import { providerRefusal } from './provider-refusals';

export function LoginPage() {
  const { returnTo, error } = useSearch({ from: '/login' });
  const target = pathOfThisSite(returnTo);
  const { data: me } = useQuery({ ...meQuery, staleTime: 0 });
  useEffect(() => {
    if (me && error === undefined) location.replace(target);
  }, [me, error, target]);
  const enter = (): void => {
    tellTabs('signed-in');
    location.replace(target);
  };
  return (
    <Card title="Sign in">
      {error !== undefined && <p role="alert">{providerRefusal(error)}</p>}
      <SignInForm onSignedIn={enter} returnTo={viaSignedIn(target)} />
      <p>
        No password any more? An admin of your company can send you a link that sets a new one (Admin, Users, Reset
        password).
      </p>
    </Card>
  );
}
