import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ANY_TYPE } from './fields.js';
import { namedSchemas, problem, type Schema } from './schema.js';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/**
 * The description of every operation, from the controllers' own metadata. Each is shown once, under `/api/v1`; the path
 * item's `x-alias` names the second path that the same handler answers.
 */
export function describeApi(app: INestApplication, version: string): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Weft')
    .setDescription(
      'Flows, plays, and everything around them. Every path under `/api/v1` also answers under its `x-alias`.',
    )
    .setVersion(version)
    .setOpenAPIVersion('3.1.0')
    .addCookieAuth('sid', { type: 'apiKey', in: 'cookie', name: 'sid' }, 'session')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, 'apiKey')
    .addSecurityRequirements('session')
    .addSecurityRequirements('apiKey')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  document.paths = withAliases(document.paths);
  complete(document.paths);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(Object.fromEntries(namedSchemas()) as object) },
  };
  return nullAsType(document) as OpenAPIObject;
}

type Paths = OpenAPIObject['paths'];

function withAliases(paths: Paths): Paths {
  const shown: Record<string, object> = {};
  for (const [path, item] of Object.entries(paths)) {
    const alias = path.replace(/^\/api\/v1\//, '/api/');
    const twin = path.replace(/^\/api\/(?!v1\/)/, '/api/v1/');
    if (alias !== path && alias in paths) shown[path] = { ...item, 'x-alias': alias };
    else if (twin === path || !(twin in paths)) shown[path] = item;
  }
  return shown;
}

/** What holds for every operation: how it refuses, and a name that programs can generate functions from. */
function complete(paths: Paths): void {
  const refusal = {
    description: 'A refusal, by `code`.',
    content: { 'application/problem+json': { schema: problem } },
  };
  const names = new Set<string>();
  for (const [path, item] of Object.entries(paths).sort(apiFirst)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      operation.responses = { ...operation.responses, default: refusal };
      operation.operationId = freeName(path, operation.operationId ?? method, names);
    }
  }
}

function apiFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return Number(b.startsWith('/api/')) - Number(a.startsWith('/api/'));
}

/**
 * Swagger numbers the paths of one handler (`Flows_create[0]`). Mostly one of them is left and needs no number; an operation
 * that the contract puts at two places is told apart by the path's first word (`Auth_logout`, `Auth_logout_auth`).
 */
function freeName(path: string, numbered: string, names: Set<string>): string {
  const id = numbered.replace(/\[\d+\]$/, '');
  const place = path.replace(/^\/api\/v1/, '').split('/')[1] ?? '';
  const name = names.has(id) ? `${id}_${place}` : id;
  names.add(name);
  return name;
}

/** `nullable: true` is OpenAPI 3.0; in 3.1 null is one of the types. What may be any value has no type at all. */
function nullAsType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullAsType);
  if (value === null || typeof value !== 'object') return value;
  const { nullable, ...rest } = value as Schema & { nullable?: unknown };
  const inner = Object.fromEntries(
    Object.entries(rest)
      .filter(([name, each]) => name !== 'type' || each !== ANY_TYPE)
      .map(([name, each]) => [name, nullAsType(each)]),
  );
  if (nullable !== true) return nullable === undefined ? inner : { ...inner, nullable: nullAsType(nullable) };
  if (typeof inner.type === 'string') {
    const withNull = { ...inner, type: [inner.type, 'null'] };
    return Array.isArray(inner.enum) ? { ...withNull, enum: [...(inner.enum as unknown[]), null] } : withNull;
  }
  return { anyOf: [inner, { type: 'null' }] };
}
