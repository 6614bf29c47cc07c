import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LayerFailure, type Connection, type WorkingModule } from '../../layer-module.js';
import type { MailServer } from './mail.js';
import { sendMail } from './send-mail.js';

/** Exactly one address: no name, no list, no line break, so that nobody can add a header or a recipient. */
const ADDRESS = /^[^\s@<>()[\],;:"\\\p{Cc}]{1,64}@[^\s@<>()[\],;:"\\\p{Cc}]{1,253}$/u;
const ONE_LINE = /^[^\p{Cc}]*$/u;
const MAX_RECIPIENTS = 100;
const MAX_TEXT = 1024 * 1024;

const address = z.string().regex(ADDRESS, 'expected one e-mail address');
const addresses = z.union([address, z.array(address).max(MAX_RECIPIENTS)], {
  error: 'expected an e-mail address or a list of them',
});

const args = z
  .strictObject({
    integrationId: z.string().min(1).max(64).describe('Id of an integration link to an SMTP server.'),
    to: addresses.describe('Whom to send it to: an address, or a list of up to 100.'),
    subject: z.string().max(500).regex(ONE_LINE, 'expected one line').describe('One line.'),
    from: address.optional().describe('The sender; the user name of the link unless told.'),
    cc: addresses.optional().describe('Who gets a copy: an address, or a list.'),
    text: z.string().max(MAX_TEXT).optional().describe('The body as text.'),
    html: z.string().max(MAX_TEXT).optional().describe('The body as HTML, beside the text or alone.'),
  })
  .refine(({ text, html }) => text !== undefined || html !== undefined, 'expected text, html or both')
  .refine(({ to, cc }) => listOf(to).length > 0 && listOf(to).length + listOf(cc).length <= MAX_RECIPIENTS, {
    error: `expected 1 to ${MAX_RECIPIENTS} recipients, copies included`,
  });

type EmailArgs = z.output<typeof args>;

/**
 * Sends one mail through the SMTP server of a link. Fails with the codes of the egress dialer, with `bad_status` when
 * the server refuses the login, the sender or every recipient, and with `integration_unusable` for a link that is not a
 * mail server.
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
        from: 'figures@example.com',
      },
    },
  ],

  async run({ integrationId, to, cc, subject, text, html, from }, context) {
    const link = await context.connection(integrationId);
    const sender = from ?? userOf(link);
    if (sender === null || !ADDRESS.test(sender)) {
      throw new LayerFailure(
        'invalid_args',
        'from: expected one e-mail address, since the link has none for a user name',
      );
    }
    const messageId = messageIdOf(context.idempotencyKey, sender);
    const receipt = await sendMail(context.sockets, {
      server: mailServerOf(link, sender),
      from: sender,
      to: listOf(to),
      cc: listOf(cc),
      subject,
      messageId,
      text: text ?? null,
      html: html ?? null,
      timeoutMs: context.timeoutMs,
      signal: context.signal,
    });
    return { messageId, ...receipt };
  },
};

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
