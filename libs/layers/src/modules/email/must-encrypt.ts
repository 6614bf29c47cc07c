import type { MailServer } from './mail.js';

/**
 * A password is sent over the public internet only with TLS, whatever the server offers. Private addresses are
 * reachable only if the operator allows them.
 */
export function mustEncrypt(login: MailServer['login'], isPublic: boolean): boolean {
  return login !== null && isPublic;
}
