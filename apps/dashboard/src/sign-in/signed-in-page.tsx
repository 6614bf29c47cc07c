import { useEffect } from 'react';
import { tellTabs } from '../session/tabs';
import { Card } from './card';

/** Where a provider ends in the window that an expired page opened: it wakes that page and closes. */
export function SignedInPage() {
  useEffect(() => {
    tellTabs('signed-in-by-provider');
    window.close();
  }, []);
  return (
    <Card title="Signed in">
      <p>You can close this window and go on where you were.</p>
    </Card>
  );
}
