import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { tellTabs } from '../session/tabs';
import { Card } from './card';
import { pathOfThisSite } from './return-to';

/**
 * Where a provider ends. In the window that an expired page opened, it wakes that page and closes; otherwise it tells all
 * tabs that the session is a new one, and goes on to `to`.
 */
export function SignedInPage() {
  const { to } = useSearch({ from: '/signed-in' });
  useEffect(() => {
    if (to === undefined) {
      tellTabs('signed-in-by-provider');
      window.close();
    } else {
      tellTabs('signed-in');
      location.replace(pathOfThisSite(to));
    }
  }, [to]);
  return (
    <Card title="Signed in">{to === undefined && <p>You can close this window and go on where you were.</p>}</Card>
  );
}
