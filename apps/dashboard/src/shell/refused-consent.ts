import { notifications } from '@mantine/notifications';
import { providerRefusal } from '../sign-in/provider-refusals';

/** A consent at another server ends at the page where it began: when nothing came of it, with why in the address. */
export function tellRefusedConsent(): void {
  const url = new URL(window.location.href);
  const code = url.searchParams.get('error');
  if (code === null) return;
  url.searchParams.delete('error');
  window.history.replaceState(window.history.state, '', url);
  notifications.show({ color: 'red', title: 'Not connected', message: providerRefusal(code), autoClose: false });
}
