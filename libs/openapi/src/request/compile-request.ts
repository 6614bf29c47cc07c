import { isObject, own } from '../json.js';
import { formOf } from '../operations/bodies.js';
import type { BodyForm, OperationPlan, Parameter } from '../operations/plan.js';
import { InputFault } from './input-fault.js';
import { encoded, encodedButReserved } from './percent.js';
import { writeBody } from './write-body.js';
import { writeExpanded, writePairs, type Pair } from './write-value.js';

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
    const query = queryOf(plan, input);
    const body = writeBody(plan, input.body, input.contentType);
    const { contentType, ...sent } = body;
    const headers = headersOf(plan, input, contentType);
    const { isText } = ofPlan(plan);
    return {
      request: {
        method: plan.method,
        url: withQuery(`${server}${pathOf(plan, input)}`, query),
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

/** What is the same for all requests of a plan. */
interface Known {
  readonly isText: boolean;
  readonly accept: string;
  readonly byPlace: Readonly<Record<Parameter['in'], ReadonlyMap<string, Parameter>>>;
}

const KNOWN = new WeakMap<OperationPlan, Known>();

function ofPlan(plan: OperationPlan): Known {
  let known = KNOWN.get(plan);
  if (!known) {
    const { params, accept } = plan;
    const at = (place: Parameter['in']) =>
      new Map(params.filter((each) => each.in === place).map((each) => [each.name, each]));
    known = {
      isText: accept.every((type) => ['json', 'text', 'form'].includes(formOf(type))),
      accept: accept.slice(0, 10).join(', '),
      byPlace: { path: at('path'), query: at('query'), header: at('header'), cookie: at('cookie') },
    };
    KNOWN.set(plan, known);
  }
  return known;
}

/** An address resolves `.` and `..`, also when they are percent-encoded, and an empty part leads elsewhere. */
const LEADS_ELSEWHERE = /^(\.|%2e){0,2}$/i;

function pathOf(plan: OperationPlan, input: OperationInput): string {
  const params = ofPlan(plan).byPlace.path;
  const write = (name: string): string => {
    const param = params.get(name) ?? { name, in: 'path' as const, style: 'simple' as const, explode: false };
    const at = `path.${name}`;
    const value = own(input.path, name);
    if (value === undefined || value === null) throw new InputFault(at, 'is required');
    const encode = param.allowReserved ? (text: string) => encodedButReserved(text, '?#') : encoded;
    const text = writeExpanded(name, value, param, encode, at);
    if (text === '') throw new InputFault(at, 'must not be empty');
    return text;
  };
  const parts = plan.path.split('/').map((part) => {
    const written = part.replace(/\{([^{}]+)\}/g, (_, name: string) => write(name));
    const odd = written === part ? undefined : written.split('/').find((each) => LEADS_ELSEWHERE.test(each));
    if (odd === undefined) return written;
    throw new InputFault('path', `gives the address the part "${odd}", which leads to another operation`);
  });
  // an address takes a backslash for a slash
  return parts.join('/').replaceAll('\\', '%5C');
}

/** Some documents have a query in a path. */
function withQuery(address: string, query: string): string {
  if (query === '') return address;
  return `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

function queryOf(plan: OperationPlan, input: OperationInput): string {
  return pairsOf(plan, 'query', input.query, 'query')
    .map((pair) => pair.join('='))
    .join('&');
}

function pairsOf(plan: OperationPlan, place: 'query' | 'cookie', values: unknown, group: string): readonly Pair[] {
  return [...ofPlan(plan).byPlace[place].values()].flatMap((param) => {
    const encode = param.allowReserved ? (text: string) => encodedButReserved(text, '#[]&=+') : encoded;
    return writePairs(param.name, own(values, param.name), param, encode, `${group}.${param.name}`);
  });
}

function headersOf(
  plan: OperationPlan,
  input: OperationInput,
  contentType: string | undefined,
): Readonly<Record<string, string>> {
  const headers = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string): void => void headers.set(name.toLowerCase(), [name, value]);
  const { accept, byPlace } = ofPlan(plan);
  if (accept !== '') set('Accept', accept);
  const params = byPlace.header;
  for (const [name, value] of isObject(input.headers) ? Object.entries(input.headers) : []) {
    if (value === null || value === undefined) continue;
    const at = `headers.${name}`;
    const param = params.get(name) ?? { name, in: 'header' as const, style: 'simple' as const, explode: false };
    const text = writeExpanded(name, value, param, String, at);
    if (CONTROLS.test(text)) throw new InputFault(at, 'has a control character, which a header cannot have');
    set(name, text);
  }
  const cookies = pairsOf(plan, 'cookie', input.cookies, 'cookies').map((pair) => pair.join('='));
  if (cookies.length > 0) set('Cookie', cookies.join('; '));
  if (contentType !== undefined && CONTROLS.test(contentType)) {
    throw new InputFault('contentType', 'has a character that a header cannot have');
  }
  if (contentType !== undefined) set('Content-Type', contentType);
  return Object.fromEntries(headers.values());
}
