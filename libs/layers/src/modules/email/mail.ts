/** The mail that the module sends, and its server. */

export interface MailServer {
  /** `smtp://host[:587]` (STARTTLS when the server offers it) or `smtps://host[:465]`. */
  readonly url: string;
  /** Null: the server needs none. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** An address and the name that people see; without one it is ''. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string | null;
  readonly content: string | AsyncIterable<Buffer>;
}

export interface Mail {
  readonly server: MailServer;
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  /** They get the mail, and nobody sees that. */
  readonly bcc: readonly Mailbox[];
  /** Whom answers go to; null: the sender. */
  readonly replyTo: Mailbox | null;
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly MailAttachment[];
  /** `<…@…>`; the same for the same message, so that a receiver can recognise a repetition. */
  readonly messageId: string;
  /** For the whole conversation. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Addresses that the server accepted or refused. */
export interface MailReceipt {
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
}
