import type { AddressVerdict } from '../address-guard.js';
import type { MailServer } from './mail-client.js';

/** A password crosses the public internet under TLS alone, whatever the server offers. */
export function mustEncrypt(login: MailServer['login'], verdict: AddressVerdict): boolean {
  return login !== null && verdict !== 'opened';
}
