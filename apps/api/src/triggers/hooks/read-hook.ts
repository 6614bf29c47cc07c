import type { FileValue } from '@weft/contracts';
import { isForbiddenKey, jsonFault, MAX_JSON_NESTING, parseJson, WeftError } from '@weft/kernel';
import { HIDDEN, type Texts } from '@weft/runs';
import { charsetOf, isJson, isUtf8Name, mediaTypeOf, textOfBytes } from '@weft/layers';
import { HOOK_BYTES } from '@weft/shapes';
import { meansSecret } from '@weft/store';
import { readFormParts } from './form-parts.js';

/** What expressions of a trigger read as `$hook`. */
export interface Hook {
  readonly method: string;
  readonly body: unknown;
  readonly headers: Texts;
  readonly query: Texts;
}

/** Senders' names of credentials, besides those of `meansSecret`. `Idempotency-Key` is the id of a request. */
const OTHER_SECRETS =
  /signature|hmac|credential|session|jwt|assertion|authorization|authentication|(?<!^idempotency-)key$|(auth|bearer|passwd|pwd|otp|pin|sid|sig|code|(?<![a-z])pass)$/i;
const MAX_FORM_FIELDS = 1_000;

/** Bytes of a delivery that are kept as a file. */
export type KeepFile = (file: {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly filename: string | null;
}) => Promise<FileValue>;

/** What a body is read by. */
export interface HookBytes {
  readonly body: Buffer;
  readonly contentType: string | null;
}

/**
 * The body of a delivery as a value: JSON as what it says, a form as an object of texts (lists where a name repeats) and files, other
 * text as text, bytes as Base64, nothing as null; more than a megabyte as a file.
 *
 * @param hasPayload a field `payload` that is JSON is the body of a form
 * @throws WeftError `malformed_json`, `invalid_body`, and what `keep` throws
 */
export async function readHookBody(
  { body, contentType }: HookBytes,
  hasPayload: boolean,
  keep: KeepFile,
): Promise<unknown> {
  if (body.length === 0) return null;
  const type = contentType ?? undefined;
  const mediaType = mediaTypeOf(type);
  if (mediaType === 'multipart/form-data' && type !== undefined) {
    const { fields, files } = readFormParts(body, type);
    const read: (readonly [string, unknown])[] = [...fields];
    for (const { name, ...file } of files) read.push([name, await keep(file)]);
    return payloadIn(toObject(read), hasPayload);
  }
  if (body.length > HOOK_BYTES) return keep({ bytes: body, contentType: type, filename: null });
  const isOther = !isUtf8Name(charsetOf(type) ?? 'utf8');
  if (isJson(mediaType)) return readJson(isOther ? (textOfBytes(body, type) ?? body) : body);
  if (mediaType === 'application/x-www-form-urlencoded') {
    const text = withoutMark(body.toString('latin1'), LATIN1_MARK);
    return payloadIn(readForm(text, charsetOf(type)), hasPayload);
  }
  const text = textOfBytes(body, type);
  return text === null ? body.toString('base64') : withoutMark(text, MARK);
}

const MARK = '\ufeff';
const LATIN1_MARK = '\u00ef\u00bb\u00bf';

/** The mark at the beginning of a text says how it is coded, and is not a part of it. */
function withoutMark(text: string, mark: string): string {
  return text.startsWith(mark) ? text.slice(mark.length) : text;
}

function readJson(body: Buffer | string): unknown {
  let value: unknown;
  try {
    value = parseJson(body, { maxDepth: MAX_JSON_NESTING });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new WeftError('malformed_json', `The delivery says that it is JSON, and is not: ${why}`, { cause });
  }
  const fault = jsonFault(value, 'body');
  if (fault) throw new WeftError('invalid_body', `${fault.path} ${fault.message}.`, { errors: [fault] });
  return value;
}

/** @param text each of its characters is a byte */
function readForm(text: string, charset: string | null): Readonly<Record<string, unknown>> {
  const pairs = text.split('&', MAX_FORM_FIELDS + 1);
  if (pairs.length > MAX_FORM_FIELDS)
    throw new WeftError('invalid_body', `A form may have ${MAX_FORM_FIELDS} fields at most.`);
  const decoder = decoderOf(charset);
  const decoded = (part: string) => decoder.decode(Buffer.from(unescaped(part.replaceAll('+', ' ')), 'latin1'));
  return toObject(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        return at === -1 ? [decoded(pair), ''] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
      }),
  );
}

function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decoderOf(charset: string | null): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset ?? 'utf-8', { ignoreBOM: true });
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true }); // an unknown charset is treated like none
  }
}

function toObject(pairs: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  const form: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of pairs) {
    if (isForbiddenKey(name, value))
      throw new WeftError('invalid_body', 'A field of the form has a name that no body may have.');
    const before = form[name];
    form[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return form;
}

function payloadIn(form: Readonly<Record<string, unknown>>, hasPayload: boolean): unknown {
  const { payload } = form;
  if (!hasPayload || typeof payload !== 'string' || !/^\s*[{[]/.test(payload)) return form;
  return readJson(payload);
}

/**
 * Headers or query parameters as expressions and the delivery log see them: values under names that mean credentials are
 * replaced, so that they get into no play and no log.
 *
 * @param known names, in lower case, that are credentials here (true) or are not (false), whatever they sound like
 */
export function withoutCredentials(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
  known: ReadonlyMap<string, boolean> = new Map(),
): Texts {
  const shown: Record<string, string | readonly string[]> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(fields)) {
    if (isForbiddenKey(name, value) || value === undefined) continue;
    const isHidden = known.get(name.toLowerCase()) ?? (meansSecret(name) || OTHER_SECRETS.test(name));
    shown[name] = isHidden ? HIDDEN : value;
  }
  return shown;
}
