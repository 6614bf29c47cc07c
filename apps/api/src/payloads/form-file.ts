/** Reads the one file part of a form (RFC 7578) as it arrives: `curl -F file=@a.csv`. Pure. */
import { WeftError } from '@weft/kernel';
import { boundaryOf, headerOf, parameterOf } from '../http/form-headers.js';

const CONTENT_TYPE = /^multipart\/form-data\s*(;|$)/i;
/** Of the headers of the part, in bytes. */
const MOST_HEADERS = 16_384;
const FIELD = 'file';
const END_OF_LINE = Buffer.from('\r\n');
const END_OF_HEADERS = Buffer.from('\r\n\r\n');

export interface FormFile {
  readonly contentType: string | undefined;
  readonly filename: string | undefined;
  /** To be read to its end, which is that of the form. */
  readonly bytes: AsyncGenerator<Uint8Array, void>;
}

export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && CONTENT_TYPE.test(contentType);
}

/** @throws WeftError `invalid_body` for a form that is not one file part named `file`; also while its bytes are read */
export async function fileOfForm(body: AsyncGenerator<Uint8Array, void>, contentType: string): Promise<FormFile> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw refusal('The Content-Type of the form names no boundary');
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const window = new Window(body);
  window.unread(END_OF_LINE); // before the first delimiter there may be nothing
  await window.take(delimiter, MOST_HEADERS);
  const headers = (await window.take(END_OF_HEADERS, MOST_HEADERS)).toString('utf8');
  const disposition = headerOf(headers, 'content-disposition') ?? '';
  const filename = parameterOf(disposition, 'filename');
  if (parameterOf(disposition, 'name') !== FIELD || filename === undefined)
    throw refusal(`The form must have one part, a file with the name "${FIELD}"`);
  return {
    contentType: headerOf(headers, 'content-type'),
    filename: filename === '' ? undefined : filename,
    bytes: bytesOf(window, delimiter),
  };
}

async function* bytesOf(window: Window, delimiter: Buffer): AsyncGenerator<Uint8Array, void> {
  yield* window.until(delimiter);
  if (!(await window.startsWith(Buffer.from('--')))) throw refusal(`The form has more parts than "${FIELD}"`);
  await window.drain();
}

/** What has arrived and is not read yet. */
class Window {
  private held = Buffer.alloc(0);

  constructor(private readonly body: AsyncGenerator<Uint8Array, void>) {}

  unread(bytes: Uint8Array): void {
    this.held = Buffer.concat([bytes, this.held]);
  }

  /** What comes before the mark, which is passed. */
  async take(mark: Buffer, most: number): Promise<Buffer> {
    for (;;) {
      const at = this.held.indexOf(mark);
      if (at !== -1) return this.pass(at, mark);
      if (this.held.length > most) throw refusal('The form does not begin with a part, or its headers are too long');
      await this.more();
    }
  }

  /** The same, as it arrives. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const at = this.held.indexOf(mark);
      if (at !== -1) {
        yield this.pass(at, mark);
        return;
      }
      // the mark may have begun
      const safe = this.held.length - mark.length + 1;
      if (safe > 0) yield this.pass(safe);
      await this.more();
    }
  }

  async startsWith(text: Buffer): Promise<boolean> {
    while (this.held.length < text.length) await this.more();
    return this.held.subarray(0, text.length).equals(text);
  }

  async drain(): Promise<void> {
    this.held = Buffer.alloc(0);
    while (!(await this.body.next()).done);
  }

  private pass(bytes: number, mark?: Buffer): Buffer {
    const passed = this.held.subarray(0, bytes);
    this.held = this.held.subarray(bytes + (mark?.length ?? 0));
    return passed;
  }

  private async more(): Promise<void> {
    const next = await this.body.next();
    if (next.done) throw refusal('The form ends before its last boundary');
    this.held = Buffer.concat([this.held, next.value]);
  }
}

function refusal(what: string): WeftError {
  return new WeftError(
    'invalid_body',
    `${what}. Or send the bytes of the file as the body: curl --data-binary @a.csv.`,
  );
}
