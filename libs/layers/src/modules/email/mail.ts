/** The mail that the module sends, and its server. */

export interface MailServer {
  /** `smtp://host[:587]` (STARTTLS when the server offers it) or `smtps://host[:465]`. */
  readonly url: string;
  /** Null: the server needs none. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

export interface Mail {
  readonly server: MailServer;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
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
