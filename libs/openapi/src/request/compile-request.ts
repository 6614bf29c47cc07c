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
  try {
    const { isText, query } = ofPlan(plan);
    const body = writeBody(plan, input.body, input.contentType);
    const { contentType, ...sent } = body;
    const headers = headersOf(plan, input, contentType);
    return {
      request: {
        method: plan.method,
        url: withQuery(`${server}${pathOf(plan, input)}`, pairsOf(query, input.query).join('&')),
        headers,
        ...sent,
        responseType: isText ? 'text' : 'auto',
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
}

/** What is the same for all requests of a plan. */
interface Known {
  readonly isText: boolean;
  readonly accept: string;
  /** What is between the slashes: as it is, or in pieces of which some are parameters. */
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
    known = {
      isText: accept.every((type) => ['json', 'text', 'form'].includes(formOf(type))),
      accept: accept.slice(0, 10).join(', '),
      path: plan.path.split('/').map((part) => partOf(part, paramsIn(plan, 'path'))),
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
  return { ...param, encode, at: `${group}.${param.name}` };
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

function pathOf(plan: OperationPlan, input: OperationInput): string {
  const parts = ofPlan(plan).path.map((part) => (typeof part === 'string' ? part : partWith(part, input)));
  // an address takes a backslash for a slash
  return parts.join('/').replaceAll('\\', '%5C');
}

function partWith(pieces: readonly (string | Place)[], input: OperationInput): string {
  let written = '';
  for (const piece of pieces) written += typeof piece === 'string' ? piece : pathValue(piece, input);
  const all = written.includes('/') ? written.split('/') : [written];
  const odd = all.find((each) => LEADS_ELSEWHERE.test(each));
  if (odd === undefined) return written;
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
function pairsOf(places: readonly Place[], values: unknown): readonly string[] {
  const pairs: string[] = [];
  for (const param of places) {
    const value = own(values, param.name);
    if (value === undefined || value === null) continue;
    for (const [name, text] of writePairs(param.name, value, param, param.encode, param.at))
      pairs.push(`${name}=${text}`);
  }
  return pairs;
}

function headersOf(
  plan: OperationPlan,
  input: OperationInput,
  contentType: string | undefined,
): Readonly<Record<string, string>> {
  const { accept, headers: params, cookies: places } = ofPlan(plan);
  if (contentType !== undefined && CONTROLS.test(contentType)) {
    throw new InputFault('contentType', 'has a character that a header cannot have');
  }
  const cookies = pairsOf(places, input.cookies);
  if (!isObject(input.headers) && cookies.length === 0) {
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
  if (cookies.length > 0) set('Cookie', cookies.join('; '));
  if (contentType !== undefined) set('Content-Type', contentType);
  return Object.fromEntries(headers.values());
}
