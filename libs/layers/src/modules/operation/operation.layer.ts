import { valueFaults, type JsonSchema } from '@weft/json-schema';
import { isFields } from '@weft/kernel';
import { compileRequest, InputFault, serverAddress, type OperationPlan } from '@weft/openapi';
import { isFaceFault, type Face } from '../../face.js';
import { readsContent } from '../../stored/content.js';
import { LayerFailure, type Output, type Paging, type WorkingModule } from '../../layer-module.js';
import { isJson, mediaTypeOf } from '../web-request/read-body.js';
import { webPaging } from '../web-request/paging.js';
import { intentOfRequest, sendWebRequest } from '../web-request/web-request.layer.js';
import type { WebRequestArgs } from '../web-request/args.js';
import { listedFaults } from './listed-faults.js';
import { operationArgs, operationOut, type OperationArgs } from './args.js';

const MAX_URL = 16_384;
/** Of an output: what does not fit. */
const MAX_UNEXPECTED = 5;
/** How far an answer is judged that is only noted: about 20 µs. */
const NOTED_STEPS = 300;
/** Where null means left out, as in a web request. */
const OPTIONAL_PLACES = ['path', 'query', 'headers', 'cookies'];

const paging: Paging<OperationArgs> = {
  option: webPaging.option,
  expressions: webPaging.expressions,
  most: (args) => webPaging.most(requestOf(args)),
  identityOf: (args) => webPaging.identityOf(requestOf(args)),
  pageOf: ({ statusCode, headers, body, url }) => ({
    statusCode,
    headers,
    json: body,
    ...(url !== undefined && { url }),
  }),
  following(first, args, page, found) {
    const next = webPaging.following(requestOf(first), requestOf(args), page, found);
    return next && { ...first, bound: { face: boundOf(first).face, request: next } };
  },
};

/**
 * Calls an operation of an imported API: its input becomes a web request, which is sent by that module. Fails with the codes of
 * web-request; with `api_not_found`, `operation_not_found`, `operation_changed`; with `invalid_args` for input that does not fit
 * the operation, whose paths are in the message; with `invalid_output` where `onUnexpected` says so.
 */
export const operation: WorkingModule<OperationArgs> = {
  appId: 'operation',
  title: 'API operation',
  description: 'Calls an operation of an API whose OpenAPI document was imported: typed input, typed output.',
  icon: 'plug',
  effect: 'effect',
  argsSchema: operationArgs,
  openArg: 'input',
  outSchema: operationOut,
  programs: ['api', 'operation', 'digest'],
  jsonFrom: 'text',
  paging,
  examples: [
    {
      title: 'Create an order',
      args: {
        api: 'shop',
        operation: 'createOrder',
        input: { body: { id: 7, note: '{{ $prev.args.note }}' } },
        auth: { integrationId: '06dqx3v8k2m7w0r5t9ya' },
      },
    },
    {
      title: 'Read all pages of a list',
      args: {
        api: 'shop',
        operation: 'listOrders',
        input: { query: { state: 'open', limit: 100 } },
        paginate: { cursor: { from: '{{ $page.json.next_cursor }}', param: 'cursor' } },
      },
    },
  ],

  faceKey: ({ api, operation: name, digest }) =>
    [api, name].every((each) => typeof each === 'string' && each !== '')
      ? `${String(api)}/${String(name)}${typeof digest === 'string' ? `@${digest}` : ''}`
      : null,

  inspect({ server = 0 }, face) {
    if (face?.baseUrl !== null || typeof server !== 'number') return null;
    try {
      addressOf(face.plan, server);
      return null;
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      return { path: error.path, message: error.message };
    }
  },

  bind(args, face) {
    if (!face) throw new LayerFailure('operation_not_found', `There is no operation "${args.operation}" here.`);
    if (isFaceFault(face)) throw new LayerFailure(face.code, face.message);
    return { ...args, bound: { face, request: requestFor(args, face) } };
  },

  async run(args, context) {
    const { face, request } = boundOf(args);
    const outOf = args.paginate ? paged : typed;
    const out = await sendWebRequest(request, context, { atOriginOfLink: true, outOf });
    return judged(out, args, face);
  },

  intentOf: (args) => intentOfRequest(requestOf(args)),
};

function boundOf({ bound }: OperationArgs): NonNullable<OperationArgs['bound']> {
  if (!bound) throw new TypeError('the operation has no face');
  return bound;
}

function requestOf(args: OperationArgs): WebRequestArgs {
  return boundOf(args).request;
}

const OF_INPUT = { root: 'input', isForeign: true } as const;

/** @throws LayerFailure `invalid_args` */
function requestFor({ input, server, auth, failOn, paginate }: OperationArgs, face: Face): WebRequestArgs {
  const given = withoutNulls(input);
  const faults = valueFaults(face.argsSchema, given, OF_INPUT);
  if (faults.length > 0) {
    throw new LayerFailure('invalid_args', listedFaults(faults));
  }
  const compiled = compileRequest(face.plan, given, face.baseUrl ?? knownAddress(face.plan, server));
  if ('fault' in compiled) throw invalid(`input.${compiled.fault.path}`, compiled.fault.message);
  const { request } = compiled;
  if (request.url.length > MAX_URL) throw invalid('input', `makes an address of more than ${MAX_URL} characters`);
  return {
    ...request,
    method: request.method as WebRequestArgs['method'],
    query: {},
    followRedirects: true,
    failOn,
    ...(auth && { auth }),
    ...(paginate && { paginate }),
  };
}

const ADDRESSES = new WeakMap<OperationPlan, Map<number, string>>();

/** @throws LayerFailure `invalid_args` */
function knownAddress(plan: OperationPlan, server: number): string {
  let known = ADDRESSES.get(plan);
  if (!known) ADDRESSES.set(plan, (known = new Map<number, string>()));
  try {
    const address = known.get(server) ?? addressOf(plan, server);
    known.set(server, address);
    return address;
  } catch (error) {
    if (error instanceof InputFault) throw invalid(error.path, error.message);
    throw error;
  }
}

/** @throws InputFault */
function addressOf({ servers }: OperationPlan, at: number): string {
  const server = servers[at];
  if (!server) throw new InputFault('server', `is ${at}, and the operation has ${servers.length} servers, from 0`);
  return serverAddress(server);
}

function withoutNulls(input: OperationArgs['input']): OperationArgs['input'] {
  let given = input;
  for (const place of OPTIONAL_PLACES) {
    const values = input[place];
    if (values === undefined || !isFields(values) || !Object.values(values).some(isNothing)) continue;
    given = { ...given, [place]: Object.fromEntries(Object.entries(values).filter(([, value]) => !isNothing(value))) };
  }
  return given;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function invalid(path: string, message: string): LayerFailure {
  return new LayerFailure('invalid_args', `"${path}" ${message}.`);
}

/** The output of a web request with the body as its type says. */
function typed({ statusCode, headers, cookies, durationMs, body, bodyEncoding, json }: Output): Output {
  const { 'content-type': contentType } = headers as Readonly<Record<string, string>>;
  // a large body is stored: what reads it is not null
  const isRead = json !== null || (isJson(mediaTypeOf(contentType)) && String(body).trim() === 'null');
  const out: Record<string, unknown> = {
    statusCode,
    headers,
    durationMs,
    body: isRead ? json : body === '' ? null : body,
  };
  if (cookies !== undefined) out.cookies = cookies;
  if (bodyEncoding !== undefined) out.bodyEncoding = bodyEncoding;
  return out;
}

/**
 * The same for a page, whose body is kept as JSON only. One that fails the layer is what it is.
 *
 * @throws LayerFailure `invalid_output`
 */
function paged(out: Output): Output {
  return Number(out.statusCode) > 299 ? typed(out) : { ...typed(out), body: webPaging.pageOf(out).json };
}

const BODY_SCHEMAS = new WeakMap<Face, JsonSchema>();

function bodySchemaOf(face: Face): JsonSchema {
  let schema = BODY_SCHEMAS.get(face);
  if (!schema) {
    const { properties, $defs } = face.outSchema as {
      readonly properties?: { readonly body?: JsonSchema };
      readonly $defs?: unknown;
    };
    schema = { ...properties?.body, ...($defs !== undefined && { $defs }) };
    BODY_SCHEMAS.set(face, schema);
  }
  return schema;
}

const NOTED = { root: 'body', isForeign: true, maxSteps: NOTED_STEPS } as const;
const WHOLE = { root: 'body', isForeign: true } as const;
const NONE: readonly { readonly path: string; readonly message: string }[] = [];

function faultsOf(body: unknown, face: Face, isWhole: boolean) {
  const faults = valueFaults(bodySchemaOf(face), body, isWhole ? WHOLE : NOTED);
  return faults.length === 0 ? NONE : faults.slice(0, MAX_UNEXPECTED).map(({ path, message }) => ({ path, message }));
}

/**
 * An answer whose body is stored is not read again; other statuses have schemas of their own.
 *
 * @throws LayerFailure `invalid_output`
 */
function judged(out: Output, { onUnexpected }: OperationArgs, face: Face): Output {
  const isStored: boolean = readsContent(out);
  if (isStored || Number(out.statusCode) > 299) return out;
  const unexpected = faultsOf(out.body, face, onUnexpected === 'fail');
  const [first] = unexpected;
  if (!first) return out;
  if (onUnexpected === 'warn') return { ...out, unexpected };
  const message = `the answer does not fit its schema: ${first.path} ${first.message}`;
  throw new LayerFailure('invalid_output', message, { ...out, unexpected });
}
