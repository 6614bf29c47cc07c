import { isObject, own } from '../json.js';
import { formOf } from '../operations/bodies.js';
import type { BodyForm, OperationPlan, Parameter } from '../operations/plan.js';
import { InputFault } from './input-fault.js';
import { encoded, encodedButReserved } from './percent.js';
import { writeBody } from './write-body.js';
import { writeExpanded, writePairs } from './write-value.js';

/** Arguments of the module web-request. */
export interface CompiledRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyType?: Exclude<BodyForm, 'form'>;
  readonly responseType: 'text' | 'auto';
}

/** One that fits `argsSchema` of the operation. */
export type OperationInput = Readonly<Record<string, unknown>>;

export type Compiled =
  { readonly request: CompiledRequest } | { readonly fault: { readonly path: string; readonly message: string } };

/** No header may have these. */
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * The request that an operation makes of its input.
 *
 * @param server the address to call, as `serverAddress` gives it
 */
export function compileRequest(plan: OperationPlan, input: OperationInput, server: string): Compiled {
  const known = ofPlan(plan);
  try {
    const { contentType, body, bodyType } = writeBody(plan, input.body, input.contentType);
    return {
      request: {
        method: plan.method,
        url: withQuery(`${server}${pathOf(known, input)}`, queryOf(known.query, input.query, '&')),
        headers: headersOf(known, input, contentType),
        ...(bodyType !== undefined && { body, bodyType }),
        responseType: known.responseType,
      },
    };
  } catch (error) {
    if (error instanceof InputFault) return { fault: { path: error.path, message: error.message } };
    throw error;
  }
}

/** A parameter, with how its values are encoded and where they are in the input. */
interface Place extends Parameter {
  readonly encode: (text: string) => string;
  readonly at: string;
  /** A value that is neither list nor object is written after this. */
  readonly before: string | null;
}

/** What is the same for all requests of a plan. */
interface Known {
  readonly responseType: CompiledRequest['responseType'];
  readonly accept: string;
  /** What is as it is, and between two slashes the pieces of which some are parameters. */
  readonly path: readonly (string | readonly (string | Place)[])[];
  readonly query: readonly Place[];
  readonly cookies: readonly Place[];
  readonly headers: ReadonlyMap<string, Parameter>;
}

const KNOWN = new WeakMap<OperationPlan, Known>();

function ofPlan(plan: OperationPlan): Known {
  let known = KNOWN.get(plan);
  if (!known) {
    const { accept } = plan;
    const isText = accept.every((type) => ['json', 'text', 'form'].includes(formOf(type)));
    known = {
      responseType: isText ? 'text' : 'auto',
      accept: accept.slice(0, 10).join(', '),
      path: piecesOf(plan),
      query: [...paramsIn(plan, 'query').values()].map((each) => placeOf(each, 'query', '#[]&=+')),
      cookies: [...paramsIn(plan, 'cookie').values()].map((each) => placeOf(each, 'cookies', '#[]&=+')),
      headers: paramsIn(plan, 'header'),
    };
    KNOWN.set(plan, known);
  }
  return known;
}

/** The last of two with one name counts. */
function paramsIn({ params }: OperationPlan, place: Parameter['in']): ReadonlyMap<string, Parameter> {
  return new Map(params.filter((each) => each.in === place).map((each) => [each.name, each]));
}

/** @param ends characters that are encoded although reserved ones are allowed */
function placeOf(param: Parameter, group: string, ends: string): Place {
  const encode = param.allowReserved ? (text: string) => encodedButReserved(text, ends) : encoded;
  const before = param.content === undefined ? `${encode(param.name)}=` : null;
  return { ...param, encode, at: `${group}.${param.name}`, before };
}

function piecesOf(plan: OperationPlan): Known['path'] {
  const params = paramsIn(plan, 'path');
  const pieces: Known['path'][number][] = [];
  let literal = '';
  for (const [i, part] of plan.path.split('/').entries()) {
    const written = partOf(part, params);
    if (i > 0) literal += '/';
    if (typeof written === 'string') literal += withoutBackslash(written);
    else {
      pieces.push(literal, written);
      literal = '';
    }
  }
  return [...pieces, literal];
}

/** An address takes it for a slash. */
function withoutBackslash(text: string): string {
  return text.includes('\\') ? text.replaceAll('\\', '%5C') : text;
}

function partOf(part: string, params: ReadonlyMap<string, Parameter>): Known['path'][number] {
  const [literal = '', ...pieces] = part.split(/\{([^{}]+)\}/);
  if (pieces.length === 0) return part;
  const written = pieces.map((piece, i) => {
    if (i % 2 === 1) return piece;
    const param = params.get(piece) ?? { name: piece, in: 'path' as const, style: 'simple' as const, explode: false };
    return placeOf(param, 'path', '?#');
  });
  return [literal, ...written];
}

/** An address resolves `.` and `..`, also when they are percent-encoded, and an empty part leads elsewhere. */
const LEADS_ELSEWHERE = /^(?:\.|%2e){0,2}$/i;

function pathOf({ path }: Known, input: OperationInput): string {
  let written = '';
  for (const piece of path) written += typeof piece === 'string' ? piece : partWith(piece, input);
  return written;
}

function partWith(pieces: readonly (string | Place)[], input: OperationInput): string {
  let written = '';
  for (const piece of pieces) written += typeof piece === 'string' ? piece : pathValue(piece, input);
  const all = written.includes('/') ? written.split('/') : [written];
  const odd = all.find((each) => LEADS_ELSEWHERE.test(each));
  if (odd === undefined) return withoutBackslash(written);
  throw new InputFault('path', `gives the address the part "${odd}", which leads to another operation`);
}

function pathValue(param: Place, input: OperationInput): string {
  const value = own(input.path, param.name);
  if (value === undefined || value === null) throw new InputFault(param.at, 'is required');
  const text = writeExpanded(param.name, value, param, param.encode, param.at);
  if (text === '') throw new InputFault(param.at, 'must not be empty');
  return text;
}

/** Some documents have a query in a path. */
function withQuery(address: string, query: string): string {
  if (query === '') return address;
  return `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

/** `name=value` of each that is given. */
function queryOf(places: readonly Place[], values: unknown, between: string): string {
  let written = '';
  if (!isObject(values)) return written;
  for (const param of places) {
    const value = own(values, param.name);
    if (value === undefined || value === null) continue;
    if (typeof value === 'string' && param.before !== null) {
      written += `${written === '' ? '' : between}${param.before}${param.encode(value)}`;
      continue;
    }
    for (const [name, text] of writePairs(param.name, value, param, param.encode, param.at)) {
      written += `${written === '' ? '' : between}${name}=${text}`;
    }
  }
  return written;
}

function headersOf(
  { accept, headers: params, cookies: places }: Known,
  input: OperationInput,
  contentType: string | undefined,
): Readonly<Record<string, string>> {
  if (contentType !== undefined && CONTROLS.test(contentType)) {
    throw new InputFault('contentType', 'has a character that a header cannot have');
  }
  const cookies = queryOf(places, input.cookies, '; ');
  if (!isObject(input.headers) && cookies === '') {
    return {
      ...(accept !== '' && { Accept: accept }),
      ...(contentType !== undefined && { 'Content-Type': contentType }),
    };
  }
  const headers = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string): void => void headers.set(name.toLowerCase(), [name, value]);
  if (accept !== '') set('Accept', accept);
  for (const [name, value] of isObject(input.headers) ? Object.entries(input.headers) : []) {
    if (value === null || value === undefined) continue;
    const at = `headers.${name}`;
    const param = params.get(name) ?? { name, in: 'header' as const, style: 'simple' as const, explode: false };
    const text = writeExpanded(name, value, param, String, at);
    if (CONTROLS.test(text)) throw new InputFault(at, 'has a control character, which a header cannot have');
    set(name, text);
  }
  if (cookies !== '') set('Cookie', cookies);
  if (contentType !== undefined) set('Content-Type', contentType);
  return Object.fromEntries(headers.values());
}
