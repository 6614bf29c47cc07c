import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { policyOf } from '../auth/requires.js';
import { withAliases } from './openapi/aliases.js';
import { needBodyWhereNeeded } from './openapi/bodies.js';
import { inDialect31 } from './openapi/dialect.js';
import { handlersOf, nameOperations, operationIdOf, placesOf, type Handler, type Place } from './openapi/operations.js';
import { describeParameters } from './openapi/parameters.js';
import { API_KEY, describeRights, SESSION } from './openapi/rights.js';
import { ABOUT } from './openapi/about.js';
import { SOCKETS } from './openapi/sockets.js';
import { TAGS } from './openapi/tags.js';
import { namedSchemas, problem } from './schema.js';

/** The document with what OpenAPI has no words for. */
type WeftDocument = OpenAPIObject & { readonly 'x-sockets': typeof SOCKETS };

/**
 * The description of every operation, from the controllers' own metadata. Each is shown once, under `/api/v1`; the path
 * item's `x-alias` names the second path that the same handler answers.
 */
export function describeApi(app: INestApplication, version: string): WeftDocument {
  const document = SwaggerModule.createDocument(app, frameOf(version), { operationIdFactory: operationIdOf });
  document.paths = withAliases(document.paths);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(Object.fromEntries(namedSchemas()) as object) },
  };
  const handlers = handlersOf(app);
  const places = placesOf(document.paths);
  const names = nameOperations(places);
  for (const place of places) {
    const handler = handlers.get(names.get(place.operation) ?? '');
    if (!handler) throw new Error(`No handler is known of ${place.method} ${place.path}`);
    describe(place, handler, document);
  }
  return { ...(inDialect31(document) as OpenAPIObject), 'x-sockets': SOCKETS };
}

function describe(place: Place, { method, controller }: Handler, document: OpenAPIObject): void {
  const { operation } = place;
  const policy = policyOf(method, controller);
  if (policy) describeRights(operation, policy, place.method);
  describeParameters(place);
  needBodyWhereNeeded(operation, document);
  operation.responses = { ...operation.responses, default: REFUSAL };
}

const REFUSAL = {
  description: 'A refusal, by `code`.',
  content: { 'application/problem+json': { schema: problem } },
};

function frameOf(version: string) {
  const frame = new DocumentBuilder()
    .setTitle('Weft')
    .setDescription(ABOUT)
    .setVersion(version)
    .setOpenAPIVersion('3.1.0')
    .addServer('/', 'The installation that this document was read from.')
    .addCookieAuth('sid', { type: 'apiKey', in: 'cookie', name: 'sid', description: COOKIE }, SESSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: KEY }, API_KEY);
  for (const [name, description] of Object.entries(TAGS)) frame.addTag(name, description);
  const config = frame.build();
  config.info.license = { name: 'Proprietary: all rights reserved', identifier: 'LicenseRef-Proprietary' } as never;
  return config;
}

const COOKIE = 'What `POST /auth/login` sets; an answer may set it again when it is renewed.';
const KEY = 'The token of an API key. The scopes in a requirement are alternatives: one of them is enough.';
