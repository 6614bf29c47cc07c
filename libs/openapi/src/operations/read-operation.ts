import { Unusable } from '../document/document-fault.js';
import type { References } from '../document/references.js';
import { listOf, own, textOf, type JsonObject } from '../json.js';
import { MAX_PLAN_CHARS } from '../limits.js';
import { bundle } from '../schema/bundle.js';
import type { KeptSchema, SchemaLibrary, Warn } from '../schema/schema-library.js';
import { oneOfThem, readAnswers } from './answers.js';
import { readBody, type ReadBody } from './bodies.js';
import { digestOf } from './digest.js';
import { readParameters, type ReadParameter } from './parameters.js';
import { proposePaging } from './paging.js';
import type { Operation, OperationPlan, Place, Server } from './plan.js';
import { securityOf } from './security.js';

export interface OperationSource {
  readonly document: JsonObject;
  readonly references: References;
  readonly args: SchemaLibrary;
  readonly out: SchemaLibrary;
  readonly warn: Warn;
  readonly schemes: Readonly<Record<string, JsonObject>>;
  /** One of BUNDLE_CHARS. */
  readonly maxChars: number;
}

export interface OperationPlace {
  readonly method: string;
  /** In the document: the key of the path. */
  readonly key: string;
  readonly item: JsonObject;
  readonly node: JsonObject;
  readonly servers: readonly Server[];
}

export interface ReadOperation extends Omit<Operation, 'name'> {
  /** False: there was no room for all schemas. */
  readonly isWhole: boolean;
}

/**
 * One operation of a document, without its name.
 *
 * @throws Unusable
 */
export function readOperation(place: OperationPlace, source: OperationSource): ReadOperation {
  const { method, key, item, node } = place;
  const path = pathOf(key);
  const at = pointerOf(key, method);
  const { references, warn } = source;
  const security = securityOf(node, source.document);
  const lists = [
    { nodes: own(item, 'parameters'), path: pointerOf(key) },
    { nodes: own(node, 'parameters'), path: at },
  ];
  const isSecured = security.some((uses) => uses.length > 0);
  const parameters = readParameters(lists, path, { ...source, library: source.args, isSecured });
  const body = readBody(own(node, 'requestBody'), `${at}/requestBody`, { references, library: source.args });
  const answers = readAnswers(own(node, 'responses'), `${at}/responses`, { references, library: source.out, warn });

  const bodies = oneOfThem(body?.schemas ?? []);
  const ofArgs = bundle([bodies, ...parameters.map(({ schema }) => schema)], source.args, source.maxChars);
  const answered = oneOfThem(answers.bodies);
  const ofOut = bundle([answered, ...answers.errors.map(([, schema]) => schema)], source.out, source.maxChars);

  const params = parameters.map(({ parameter }) => parameter);
  const paging = proposePaging(node, method, parameters, {
    body: answered.schema,
    defs: ofOut.defs,
    hasLink: answers.hasLink,
  });
  const plan: OperationPlan = {
    method,
    path,
    servers: place.servers,
    params,
    body: body?.body ?? null,
    ok: answers.ok,
    accept: answers.accept,
    errors: Object.fromEntries(answers.errors.map(([status, { schema }]) => [status, schema])),
    security,
    ...(paging && { paging }),
  };
  const planChars = JSON.stringify({ ...plan, errors: {} }).length;
  if (planChars > MAX_PLAN_CHARS) {
    throw new Unusable(
      `has ${planChars} characters of path, servers, parameters and security; ${MAX_PLAN_CHARS} are allowed`,
    );
  }
  const argsSchema = withDefs(argsSchemaOf(parameters, body, bodies), ofArgs.defs);
  const outSchema = withDefs(outSchemaOf(answered), ofOut.defs);
  return {
    digest: digestOf({ plan, argsSchema, outSchema }),
    title: (textOf(node, 'summary') ?? '').slice(0, 200).toWellFormed(),
    description: (textOf(node, 'description') ?? textOf(item, 'description') ?? '').slice(0, 2_000).toWellFormed(),
    tags: listOf(own(node, 'tags'))
      .filter((tag): tag is string => typeof tag === 'string')
      .map((tag) => tag.slice(0, 100))
      .slice(0, 20),
    deprecated: node.deprecated === true,
    plan,
    argsSchema,
    outSchema,
    isWhole: ofArgs.isWhole && ofOut.isWhole,
  };
}

/** Some documents tell operations of one path apart by a part after `#`, which is not sent. */
function pathOf(key: string): string {
  return key.split('#')[0] ?? key;
}

export function pointerOf(key: string, method?: string): string {
  const step = key.replaceAll('~', '~0').replaceAll('/', '~1');
  return `#/paths/${step}${method === undefined ? '' : `/${method.toLowerCase()}`}`;
}

const GROUPS: readonly (readonly [Place, string])[] = [
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
];

function argsSchemaOf(parameters: readonly ReadParameter[], body: ReadBody | null, bodies: KeptSchema): JsonObject {
  const groups = GROUPS.flatMap(([place, name]) => {
    const ofPlace = parameters.filter(({ parameter }) => parameter.in === place);
    if (ofPlace.length === 0 && place !== 'header') return [];
    const required = ofPlace.filter(({ isRequired }) => isRequired).map(({ parameter }) => parameter.name);
    const schema = {
      type: 'object',
      properties: Object.fromEntries(ofPlace.map(({ parameter, schema: { schema: each } }) => [parameter.name, each])),
      ...(required.length > 0 && { required }),
      // a peer may know more headers than its document lists
      additionalProperties: place === 'header' ? { type: 'string' } : false,
    };
    return [{ name, schema, isRequired: required.length > 0 }];
  });
  const types = body?.body?.types ?? [];
  const required = [
    ...groups.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ...(body?.isRequired ? ['body'] : []),
  ];
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...groups.map(({ name, schema }) => [name, schema] as const),
      ...(types.length > 0 ? [['body', bodies.schema] as const] : []),
      ...(types.length > 1 || types.some(({ type }) => type.includes('*'))
        ? [
            [
              'contentType',
              types.some(({ type }) => type.includes('*'))
                ? { type: 'string' }
                : { enum: types.map(({ type }) => type) },
            ] as const,
          ]
        : []),
    ]),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function outSchemaOf(answered: KeptSchema): JsonObject {
  return {
    type: 'object',
    properties: {
      statusCode: { type: 'integer' },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: answered.schema,
      durationMs: { type: 'integer' },
    },
    required: ['statusCode', 'headers', 'body', 'durationMs'],
  };
}

function withDefs(schema: JsonObject, defs: JsonObject): JsonObject {
  return Object.keys(defs).length > 0 ? { ...schema, $defs: defs } : schema;
}
