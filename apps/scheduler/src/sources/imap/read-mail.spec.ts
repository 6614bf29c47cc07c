import type { FileValue } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { MailUnreadable, readMail, type KeepAttachment } from './read-mail.js';

const kept: { readonly text: string; readonly contentType: string; readonly filename: string | null }[] = [];
const keep: KeepAttachment = async ({ bytes, contentType, filename }) => {
  kept.push({ text: Buffer.from(bytes).toString(), contentType, filename });
  return { $ref: `file:${kept.length}`, bytes: bytes.byteLength, contentType, filename } as FileValue;
};

const mail = (...lines: readonly string[]) => Buffer.from(lines.join('\r\n'));
const MULTIPART = mail(
  'From: =?UTF-8?Q?J=C3=BCrgen?= <j@example.com>',
  'To: Team: a@example.com, "B, C" <b@example.com>;, d@example.com',
  'Subject: =?utf-8?B?w5xiZXI=?=',
  'Message-ID: <1@example.com>',
  'Date: Tue, 3 Jun 2025 13:05:30 +0200',
  'Received: one',
  'Received: two',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=X',
  '',
  '--X',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=FC=DFe',
  '--X',
  'Content-Type: text/csv; name="a.csv"',
  'Content-Disposition: attachment; filename="a.csv"',
  'Content-Transfer-Encoding: base64',
  '',
  'YSxiCg==',
  '--X',
  'Content-Type: message/rfc822',
  '',
  'Subject: inside',
  '',
  'secret text',
  '--X--',
  '',
);

describe('a mail', () => {
  it('has its texts decoded, its people, and its attachments as files', async () => {
    kept.length = 0;
    expect(await readMail(MULTIPART, keep)).toEqual({
      messageId: '<1@example.com>',
      subject: 'Über',
      from: { name: 'Jürgen', address: 'j@example.com' },
      to: [
        { name: '', address: 'a@example.com' },
        { name: 'B, C', address: 'b@example.com' },
        { name: '', address: 'd@example.com' },
      ],
      cc: [],
      replyTo: [],
      date: '2025-06-03T11:05:30.000Z',
      text: expect.stringMatching(/^Grüße\s*$/) as unknown,
      html: null,
      inReplyTo: null,
      attachments: [
        { $ref: 'file:1', bytes: 4, contentType: 'text/csv', filename: 'a.csv' },
        expect.objectContaining({ contentType: 'message/rfc822' }),
      ],
      headers: expect.objectContaining({ received: ['one', 'two'], 'message-id': '<1@example.com>' }) as unknown,
    });
    expect(kept[0]).toEqual({ text: 'a,b\n', contentType: 'text/csv', filename: 'a.csv' });
  });

  it('of nothing but text has nothing else', async () => {
    const read = await readMail(mail('Date: yesterday', '', 'hi'), keep);
    expect(read).toMatchObject({ from: null, to: [], subject: null, date: null, attachments: [] });
    expect(read.text?.trim()).toBe('hi');
  });

  it('has the names of headers as data only', async () => {
    const { headers } = await readMail(mail('__proto__: x', 'Constructor: y', '', 'hi'), keep);
    expect(Object.entries(headers)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  const nested = (levels: number) =>
    Array.from({ length: levels }, (_, i) => `Content-Type: multipart/mixed; boundary=B${i}\r\n\r\n--B${i}\r\n`).join(
      '',
    );
  it.each([
    ['a thousand levels', Buffer.from(nested(1_000))],
    ['a megabyte of headers', mail(`X: ${'a'.repeat(1024 * 1024)}`, '', 'hi')],
    [
      'a thousand attachments',
      mail(
        'Content-Type: multipart/mixed; boundary=X',
        '',
        ...Array.from({ length: 1_000 }, () => '--X\r\nContent-Disposition: attachment; filename=a\r\n\r\na'),
        '--X--',
      ),
    ],
  ])('with %s is refused, and nothing of it is kept', async (_what, source) => {
    kept.length = 0;
    await expect(readMail(source, keep)).rejects.toBeInstanceOf(MailUnreadable);
    expect(kept).toEqual([]);
  });
});
