import type { MailServer } from './mail.js';

/**
 * A password crosses the public internet under TLS alone, whatever the server offers. Other addresses are reached where the operator
 * opened them, and only there.
 */
export function mustEncrypt(login: MailServer['login'], isPublic: boolean): boolean {
  return login !== null && isPublic;
}
