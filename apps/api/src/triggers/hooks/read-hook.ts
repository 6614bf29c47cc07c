import { isUtf8 } from 'node:buffer';
import { isForbiddenKey, jsonFault, MAX_JSON_NESTING, parseJson, WeftError } from '@weft/kernel';
import { meansSecret } from '@weft/store';

/** What expressions of a trigger read as `$hook`. */
export interface Hook {
  readonly body: unknown;
  readonly headers: Texts;
  readonly query: Texts;
}

export type Texts = Readonly<Record<string, string | readonly string[]>>;

/** Instead of a credential. */
export const HIDDEN = '[secret]';
/** Senders' names of credentials, besides those of `meansSecret`. `Idempotency-Key` is the id of a request. */
const OTHER_SECRETS =
  /signature|hmac|credential|session|jwt|assertion|authorization|authentication|(?<!^idempotency-)key$|(auth|bearer|passwd|pwd|otp|pin|sid|sig|code|(?<![a-z])pass)$/i;
const MAX_FORM_FIELDS = 1_000;

/**
 * The body of a delivery as a value: JSON as what it says, a form as an object of texts (lists where a name repeats), other
 * text as text, bytes as Base64, nothing as null.
 *
 * @throws WeftError `malformed_json`, `invalid_body`
 */
export function readHookBody(body: Buffer, contentType: string | null): unknown {
  if (body.length === 0) return null;
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^application\/([\w.+-]+\+)?json$/.test(type)) return readJson(body);
  if (!isUtf8(body)) return body.toString('base64');
  const text = body.toString('utf8');
  return type === 'application/x-www-form-urlencoded' ? readForm(text) : text;
}

function readJson(body: Buffer): unknown {
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

function readForm(text: string): Texts {
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS) {
    throw new WeftError('invalid_body', `A form may have ${MAX_FORM_FIELDS} fields at most.`);
  }
  const form: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    if (isForbiddenKey(name, value))
      throw new WeftError('invalid_body', 'A field of the form has a name that no body may have.');
    const before = form[name];
    form[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return form;
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
