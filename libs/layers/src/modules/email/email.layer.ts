import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LayerFailure, type Connection, type LayerFiles, type WorkingModule } from '../../layer-module.js';
import { MEDIA_TYPE } from '../web-request/request-body.js';
import type { Mailbox, MailAttachment, MailServer } from './mail.js';
import { sendMail } from './send-mail.js';

/** Exactly one address, or one in angle brackets behind a name: no list and no line break, so that nobody can add a header or a recipient. */
const ADDRESS = '[^\\s@<>()[\\],;:"\\\\\\p{Cc}]{1,64}@[^\\s@<>()[\\],;:"\\\\\\p{Cc}]{1,253}';
const MAILBOX = new RegExp(`^(?:${ADDRESS}|[^@<>,;"\\p{Cc}]{1,128} <${ADDRESS}>)$`, 'u');
const ONE_LINE = /^[^\p{Cc}]*$/u;
const MAX_RECIPIENTS = 100;
const MAX_TEXT = 1024 * 1024;
const MAX_ATTACHMENTS = 50;
const MAX_ATTACHED_BYTES = 26_214_400;

const address = z.string().regex(MAILBOX, 'expected one e-mail address, or a name and one: Name <address>');
const addresses = z.union([address, z.array(address).max(MAX_RECIPIENTS)], {
  error: 'expected an e-mail address or a list of them, each alone or as Name <address>',
});

const attachment = z
  .strictObject({
    file: z.unknown().optional().describe('A file of an earlier layer or of the args: { $ref, … }.'),
    text: z.string().max(MAX_TEXT).optional().describe('The content as text.'),
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(ONE_LINE, 'expected one line')
      .optional()
      .describe('The file name; that of the file unless told.'),
    contentType: z
      .string()
      .regex(MEDIA_TYPE, 'expected a content type')
      .optional()
      .describe('The content type; that of the file, or the one that fits the name, unless told.'),
  })
  .refine(({ file, text }) => (file === undefined) !== (text === undefined), 'expected a file or a text')
  .refine(({ text, name }) => text === undefined || name !== undefined, 'expected a name for the text');

const args = z
  .strictObject({
    integrationId: z.string().min(1).max(64).describe('Id or key of an integration link to an SMTP server.'),
    to: addresses.describe('Whom to send it to: an address, or a list of up to 100; also as Name <address>.'),
    subject: z.string().max(500).regex(ONE_LINE, 'expected one line').describe('One line.'),
    from: address.optional().describe('The sender; the user name of the link unless told.'),
    cc: addresses.optional().describe('Who gets a copy: an address, or a list.'),
    bcc: addresses.optional().describe('Who gets a copy that the others do not see: an address, or a list.'),
    replyTo: address.optional().describe('Whom answers go to; the sender unless told.'),
    text: z.string().max(MAX_TEXT).optional().describe('The body as text.'),
    html: z.string().max(MAX_TEXT).optional().describe('The body as HTML, beside the text or alone.'),
    attachments: z
      .array(attachment)
      .max(MAX_ATTACHMENTS)
      .optional()
      .describe('Files and texts that go with it, 25 MB in all.'),
  })
  .refine(({ text, html }) => text !== undefined || html !== undefined, 'expected text, html or both')
  .refine(
    ({ to, cc, bcc }) => {
      const all = listOf(to).length + listOf(cc).length + listOf(bcc).length;
      return listOf(to).length > 0 && all <= MAX_RECIPIENTS;
    },
    { error: `expected 1 to ${MAX_RECIPIENTS} recipients, copies included` },
  );

type EmailArgs = z.output<typeof args>;

/**
 * Sends one mail through the SMTP server of a link. Fails with the codes of the egress dialer, with `bad_status` when
 * the server refuses the login, the sender or every recipient, with `integration_unusable` for a link that is not a mail
 * server, and with `invalid_args` for a file that is not kept any more and for more than 25 MB of attachments.
 */
export const email: WorkingModule<EmailArgs> = {
  appId: 'email',
  title: 'E-mail',
  description: 'Sends an e-mail through an SMTP server.',
  icon: 'mail',
  effect: 'effect',
  argsSchema: args,
  outSchema: z.strictObject({
    messageId: z.string().describe('The Message-ID; the same when the mail is sent again after a crash.'),
    accepted: z.array(z.string()).describe('Addresses that the server took.'),
    rejected: z.array(z.string()).describe('Addresses that the server refused.'),
  }),
  examples: [
    {
      title: 'Tell a customer',
      args: {
        integrationId: '{{ $blueprint.mailServer }}',
        to: '{{ $prev.args.login }}@example.com',
        subject: 'Your order {{ $prev.args.orderId }}',
        text: 'It is on its way.',
        from: 'orders@example.com',
      },
    },
    {
      title: 'Send a page to several people',
      args: {
        integrationId: '{{ $blueprint.mailServer }}',
        to: ['lead@example.com', 'desk@example.com'],
        cc: 'archive@example.com',
        subject: 'Daily figures',
        html: '<h1>{{ $prev.args.total }} orders</h1>',
        from: 'Figures <figures@example.com>',
        replyTo: 'desk@example.com',
        attachments: [{ text: 'day,orders', name: 'figures.csv', contentType: 'text/csv' }],
      },
    },
  ],

  async run({ integrationId, to, cc, bcc, replyTo, subject, text, html, from, attachments = [] }, context) {
    const link = await context.connection(integrationId);
    const given = from ?? userOf(link);
    if (given === null || !MAILBOX.test(given)) {
      throw new LayerFailure(
        'invalid_args',
        'from: expected one e-mail address, since the link has none for a user name',
      );
    }
    const sender = mailboxOf(given);
    const messageId = messageIdOf(context.idempotencyKey, sender.address);
    const receipt = await sendMail(context.sockets, {
      server: mailServerOf(link, sender.address),
      from: sender,
      to: listOf(to).map(mailboxOf),
      cc: listOf(cc).map(mailboxOf),
      bcc: listOf(bcc).map(mailboxOf),
      replyTo: replyTo === undefined ? null : mailboxOf(replyTo),
      subject,
      messageId,
      text: text ?? null,
      html: html ?? null,
      attachments: await attachedTo(attachments, context.files),
      timeoutMs: context.timeoutMs,
      signal: context.signal,
    });
    return { messageId, ...receipt };
  },
};

/** @throws LayerFailure `invalid_args` */
async function attachedTo(given: NonNullable<EmailArgs['attachments']>, files: LayerFiles): Promise<MailAttachment[]> {
  const attached: MailAttachment[] = [];
  let bytes = 0;
  for (const [i, { file, text, name, contentType = null }] of given.entries()) {
    const stored = file === undefined ? null : await files.open(file, `attachments.${i}.file`);
    bytes += stored ? stored.bytes : Buffer.byteLength(text ?? '');
    attached.push({
      filename: name ?? stored?.filename ?? `attachment-${i + 1}`,
      contentType: contentType ?? (stored && MEDIA_TYPE.test(stored.contentType) ? stored.contentType : null),
      content: stored ? stored.read() : (text ?? ''),
    });
  }
  if (bytes <= MAX_ATTACHED_BYTES) return attached;
  const message = `attachments: they have ${bytes} bytes; at most ${MAX_ATTACHED_BYTES} are sent`;
  throw new LayerFailure('invalid_args', `${message}. Store the files, and send their addresses.`);
}

function mailboxOf(text: string): Mailbox {
  const open = text.lastIndexOf('<');
  if (open < 0) return { name: '', address: text };
  return { name: text.slice(0, open).trim(), address: text.slice(open + 1, -1) };
}

/** The mail server of a link: its secret is `user:password`, or the password of the sender. */
export function mailServerOf({ endpoint, secret }: Connection, sender: string): MailServer {
  if (endpoint === null || !/^smtps?:/.test(endpoint)) {
    throw new LayerFailure(
      'integration_unusable',
      'The integration cannot be used: its endpoint is no smtp:// or smtps:// address.',
    );
  }
  const [user, password] = split(secret);
  return { url: endpoint, login: password === '' ? null : { user: user ?? sender, password } };
}

function userOf({ secret }: Connection): string | null {
  return split(secret)[0];
}

/** `user:` alone is a server that needs no login. */
function split(secret: string): [user: string | null, password: string] {
  const colon = secret.indexOf(':');
  return colon < 0 ? [null, secret] : [secret.slice(0, colon), secret.slice(colon + 1)];
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** Opaque to the receiver, and the same for every attempt. */
function messageIdOf(idempotencyKey: string, sender: string): string {
  const name = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);
  return `<${name}@${sender.slice(sender.lastIndexOf('@') + 1)}>`;
}
