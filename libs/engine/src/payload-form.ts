/** What a field of an output reads of the stored content: its text, its bytes in base64, or the value that its JSON text tells. */
export type ContentReading = 'text' | 'windows-1252' | 'base64' | 'json';

/**
 * How a stored output is put together when what is stored is not its JSON text but content that came from outside, once and as
 * it came: some of its fields read that content, the others are written out here.
 */
export interface PayloadForm {
  /** JSON text of an object: the other fields. */
  readonly outline: string;
  /** By field of the output. */
  readonly content: Readonly<Record<string, ContentReading>>;
}
