import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { policyOf } from '../auth/requires.js';
import { withAliases } from './openapi/aliases.js';
import { describeBody } from './openapi/bodies.js';
import { inDialect31 } from './openapi/dialect.js';
import { HEADERS } from './openapi/headers.js';
import { handlersOf, nameOperations, operationIdOf, placesOf, type Handler, type Place } from './openapi/operations.js';
import { describeParameters } from './openapi/parameters.js';
import { refusalCodesOf } from './openapi/refusal-codes.js';
import { describeRefusals } from './openapi/refusals.js';
import { API_KEY, describeRights, SESSION } from './openapi/rights.js';
import { ABOUT } from './openapi/about.js';
import { servicePaths } from './openapi/service-paths.js';
import { webhookOperations } from '../webhooks/event-schemas.js';
import { SOCKETS } from './openapi/sockets.js';
import { TAGS } from './openapi/tags.js';
import { namedSchemas } from './schema.js';

/** The document with its extensions to OpenAPI. */
type WeftDocument = OpenAPIObject & { readonly 'x-sockets': typeof SOCKETS };

/**
 * The description of every operation, from the controllers' own metadata. Each is shown once, under `/api/v1`; the path
 * item's `x-alias` names the second path that the same handler answers.
 */
export function describeApi(app: INestApplication, version: string): WeftDocument {
  const document = SwaggerModule.createDocument(app, frameOf(version), { operationIdFactory: operationIdOf });
  document.paths = withAliases(document.paths);
  const schemas = { ...document.components?.schemas, ...Object.fromEntries(namedSchemas()) };
  document.components = { ...document.components, schemas };
  const responses: Shared = {};
  const handlers = handlersOf(app);
  const places = placesOf(document.paths);
  const names = nameOperations(places);
  for (const place of places) {
    const handler = handlers.get(names.get(place.operation) ?? '');
    if (!handler) throw new Error(`No handler is known of ${place.method} ${place.path}`);
    describe(place, handler, document, responses);
  }
  document.paths = { ...document.paths, ...servicePaths(responses) };
  document.components = {
    ...document.components,
    headers: HEADERS as Record<string, object>,
    responses,
  } as OpenAPIObject['components'];
  const webhooks = webhookOperations();
  return { ...(inDialect31(document) as OpenAPIObject), ...{ webhooks }, 'x-sockets': SOCKETS };
}

/** Answers that several operations give, by name. */
type Shared = Record<string, object>;

function describe(place: Place, { method, controller }: Handler, document: OpenAPIObject, shared: Shared): void {
  const { operation } = place;
  const policy = policyOf(method, controller);
  if (policy) describeRights(operation, policy, place.method);
  describeParameters(place);
  describeBody(operation, document);
  if (policy) describeRefusals(operation, refusalCodesOf(place, { method, controller }, policy), shared);
}

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
