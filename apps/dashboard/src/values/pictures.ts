/** Pictures that an output has in it, or refers to. Pure. */
import type { FileValue } from '@weft/contracts';

const TYPES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/i;
/** Shown at once; a larger one when somebody asks for it, up to the second bound. */
export const SMALL_BYTES = 1_000_000;
export const MOST_BYTES = 10_000_000;

export function pictureType(contentType: unknown): string | null {
  const type = typeof contentType === 'string' ? (contentType.split(';')[0]?.trim().toLowerCase() ?? '') : '';
  return TYPES.test(type) ? type : null;
}

export function picturesIn(files: readonly FileValue[]): readonly FileValue[] {
  return files.filter(({ contentType, bytes }) => pictureType(contentType) !== null && bytes <= MOST_BYTES);
}

/** The answer of a web request whose body is a picture in base64, as an address. */
export function pictureOf(out: unknown): string | null {
  if (typeof out !== 'object' || out === null) return null;
  const { body, bodyEncoding, headers } = out as Readonly<Record<string, unknown>>;
  if (typeof body !== 'string' || bodyEncoding !== 'base64' || body.length > MOST_BYTES) return null;
  const type = pictureType((headers as Readonly<Record<string, unknown>> | null | undefined)?.['content-type']);
  return type === null ? null : `data:${type};base64,${body}`;
}
