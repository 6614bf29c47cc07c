import { isObject, own } from '../json.js';
import type { BodyType, OperationPlan, Writing } from '../operations/plan.js';
import type { CompiledRequest } from './compile-request.js';
import { InputFault } from './input-fault.js';
import { encoded } from './percent.js';
import { writePairs } from './write-value.js';

/** How a field of a form is written where nothing else is said (OpenAPI 3.1, section 4.8.15). */
const USUAL: Writing = { style: 'form', explode: true };

type Body = Pick<CompiledRequest, 'body' | 'bodyType'> & { readonly contentType?: string };

/**
 * A body as the module web-request takes it.
 *
 * @throws InputFault
 */
export function writeBody(plan: OperationPlan, body: unknown, contentType: unknown): Body {
  if (body === undefined) return {};
  if (plan.body === null) throw new InputFault('body', 'is not taken by this operation');
  const type = typeOf(plan.body.types, contentType);
  const sent = typeof contentType === 'string' ? contentType : type.type;
  switch (type.form) {
    case 'json':
      return { body, bodyType: 'json', contentType: sent };
    case 'form':
      return { body: formOf(type, body), bodyType: 'text', contentType: sent };
    case 'multipart':
      return { body: partsOf(type, body), bodyType: 'multipart' };
    case 'text':
      if (typeof body !== 'string') throw new InputFault('body', `must be a text, since it is sent as ${sent}`);
      return { body, bodyType: 'text', contentType: sent };
    case 'binary':
      return {
        body: typeof body === 'string' ? { content: body } : body,
        bodyType: 'binary',
        // a file knows its own type, which fits a range
        ...(!sent.includes('*') && { contentType: sent }),
      };
  }
}

function typeOf(types: readonly BodyType[], wanted: unknown): BodyType {
  const [first] = types;
  if (first === undefined) throw new InputFault('body', 'has no type');
  if (wanted === undefined || wanted === null) return first;
  const name = typeof wanted === 'string' ? wanted.toLowerCase() : '';
  const found = types.find(({ type }) => type === name) ?? types.find(({ type }) => isInRange(type, name));
  if (!found) throw new InputFault('contentType', `must be one of ${types.map(({ type }) => type).join(', ')}`);
  return found;
}

function isInRange(range: string, type: string): boolean {
  return range === '*/*' ? type.includes('/') : range.endsWith('/*') && type.startsWith(range.slice(0, -1));
}

/** The style counts where one is stated, else the content type, else what the value is: an object is JSON. */
function writingOf(type: BodyType, field: string, value: unknown): Writing {
  const { content, ...style } = (own(type.encoding, field) ?? {}) as Partial<Writing>;
  if (Object.keys(style).length > 0) return { style: 'form', explode: (style.style ?? 'form') === 'form', ...style };
  if (content !== undefined) return { ...USUAL, content };
  return isObject(value) ? { ...USUAL, content: 'application/json' } : USUAL;
}

function formOf(type: BodyType, body: unknown): string {
  return fieldsOf(body, type)
    .flatMap(([name, value]) => writePairs(name, value, writingOf(type, name, value), encoded, `body.${name}`))
    .map((pair) => pair.join('='))
    .join('&');
}

/** A list is several parts of one name. */
function partsOf(type: BodyType, body: unknown): readonly object[] {
  return fieldsOf(body, type).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly unknown[]) : [value])
      .filter((each) => each !== null && each !== undefined)
      .map((each) => partOf(type, name, each)),
  );
}

function partOf(type: BodyType, name: string, value: unknown): object {
  const { content } = (own(type.encoding, name) ?? {}) as Partial<Writing>;
  const stated = content === undefined || content.includes('*') ? {} : { contentType: content };
  if (type.files?.includes(name)) {
    if (isObject(value)) return { ...stated, ...value, name };
    return { ...stated, name, content: String(value) };
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : value;
  const usual = typeof value === 'object' ? { contentType: 'application/json' } : {};
  return { name, value: text, ...usual, ...stated };
}

function fieldsOf(body: unknown, { type }: BodyType): readonly [string, unknown][] {
  if (!isObject(body)) throw new InputFault('body', `must be an object of fields, since it is sent as ${type}`);
  return Object.entries(body);
}
