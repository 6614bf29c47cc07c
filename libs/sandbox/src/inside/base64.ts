/** `$base64encode` and `$base64decode` over UTF-8. JSONata's own keep only the low byte of each UTF-16 unit. */
import { Buffer, isUtf8 } from 'node:buffer';
import { TaskFailed } from './errors.js';

export function toBase64(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!text.isWellFormed()) throw new TaskFailed('$base64encode: the text has half of a character');
  return Buffer.from(text, 'utf8').toString('base64');
}

const BASE64 = /^[\w+/-]*={0,2}$/;

/** Takes the URL-safe alphabet, too, as the parts of a JWT have it, and line breaks, as mails have them. */
export function fromBase64(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const digits = text.replaceAll(/\s/g, '');
  // one digit alone has six bits of eight: Node would leave it out, and pass over what is not a digit
  if (!BASE64.test(digits) || digits.replaceAll('=', '').length % 4 === 1) {
    throw new TaskFailed('$base64decode: the text is no Base64');
  }
  const bytes = Buffer.from(text, 'base64');
  if (!isUtf8(bytes)) throw new TaskFailed('$base64decode: the bytes are no text in UTF-8');
  return bytes.toString('utf8');
}
