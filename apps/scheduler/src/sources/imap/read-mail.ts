import type { FileValue } from '@weft/contracts';
import PostalMime, { type Address, type Attachment } from 'postal-mime';

/** A person or an address. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A mail as expressions read it. Texts are what the sender wrote: nothing of them is proven. */
export interface ReadMail {
  readonly messageId: string | null;
  readonly subject: string | null;
  readonly from: MailAddress | null;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  /** ISO 8601; null: it has none that can be read. */
  readonly date: string | null;
  readonly text: string | null;
  readonly html: string | null;
  readonly inReplyTo: string | null;
  readonly attachments: readonly FileValue[];
  /** By names in lower case; those that repeat as lists. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** It is not a mail, or larger than a mail may be. */
export class MailUnreadable extends Error {
  override readonly name = 'MailUnreadable';
}

export type KeepAttachment = (file: {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly filename: string | null;
}) => Promise<FileValue>;

const MAX_NESTING = 20;
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_ATTACHMENTS = 50;
const MAX_PEOPLE = 500;

/** @param keep stores an attachment @throws MailUnreadable, and what `keep` throws */
export async function readMail(source: Buffer, keep: KeepAttachment): Promise<ReadMail> {
  const mail = await parsed(source);
  if (mail.attachments.length > MAX_ATTACHMENTS) {
    throw new MailUnreadable(`The mail has more than ${MAX_ATTACHMENTS} attachments.`);
  }
  const attachments: FileValue[] = [];
  for (const each of mail.attachments) {
    const { mimeType, filename } = each;
    attachments.push(await keep({ bytes: bytesOf(each), contentType: mimeType, filename }));
  }
  const at = Date.parse(mail.date ?? '');
  return {
    messageId: mail.messageId ?? null,
    subject: mail.subject ?? null,
    from: peopleIn(mail.from ? [mail.from] : [])[0] ?? null,
    to: peopleIn(mail.to),
    cc: peopleIn(mail.cc),
    replyTo: peopleIn(mail.replyTo),
    date: Number.isNaN(at) ? null : new Date(at).toISOString(),
    text: mail.text ?? null,
    html: mail.html ?? null,
    inReplyTo: mail.inReplyTo ?? null,
    attachments,
    headers: headersOf(mail.headers),
  };
}

async function parsed(source: Buffer) {
  try {
    return await PostalMime.parse(source, {
      ...{ maxNestingDepth: MAX_NESTING, maxHeadersSize: MAX_HEADER_BYTES },
      // a mail in a mail is a file
      forceRfc822Attachments: true,
    });
  } catch (cause) {
    throw new MailUnreadable('The mail cannot be read: its parts or headers are more than a mail may have.', { cause });
  }
}

function bytesOf({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

/** Without the names of groups. */
function peopleIn(addresses: readonly Address[] = []): MailAddress[] {
  const people = addresses.flatMap((each) => each.group ?? [each]);
  return people.slice(0, MAX_PEOPLE).map(({ name, address }) => ({ name, address }));
}

function headersOf(given: readonly { readonly key: string; readonly value: string }[]): ReadMail['headers'] {
  const headers = new Map<string, string | readonly string[]>();
  for (const { key, value } of given) {
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}
