import type { EgressDialer } from '@weft/egress';
import type { Connection } from '../../layer-module.js';
import { mailServerOf } from './email.layer.js';
import { sendMail } from './send-mail.js';

const TIMEOUT_MS = 20_000;

/** A mail of Weft itself, through a company's own mail server. */
export interface Notice {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for the same notice. */
  readonly id: string;
}

/** @throws LayerFailure when it cannot be sent, or the link is not one to a mail server */
export async function sendNotice(sockets: EgressDialer, link: Connection, notice: Notice): Promise<void> {
  const colon = link.secret.indexOf(':');
  const user = colon > 0 ? link.secret.slice(0, colon) : '';
  const from = user.includes('@') ? user : notice.to;
  await sendMail(sockets, {
    server: mailServerOf(link, from),
    from: { name: '', address: from },
    to: [{ name: '', address: notice.to }],
    ...{ cc: [], bcc: [], replyTo: null, attachments: [] },
    subject: notice.subject,
    text: notice.text,
    html: null,
    messageId: `<${notice.id}.weft${from.slice(from.lastIndexOf('@'))}>`,
    timeoutMs: TIMEOUT_MS,
  });
}
