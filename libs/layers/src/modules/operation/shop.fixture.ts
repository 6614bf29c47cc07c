import { readApi } from '@weft/openapi';
import type { Face } from '../../face.js';
import { linkKindsFor } from './link-kinds.js';

/** The document of a service with oddities that specs need. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.example.com/v1' }, { url: 'https://eu.example.com' }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      app: { type: 'apiKey', in: 'header', name: 'X-App' },
      login: { type: 'http', scheme: 'basic' },
      later: { type: 'oauth2', flows: {} },
    },
    schemas: {
      Order: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
        },
      },
    },
  },
  security: [{ key: [], app: [] }, { login: [] }, { later: [] }],
  paths: {
    '/orders/{id}': {
      get: {
        operationId: 'getOrder',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'with', in: 'query', schema: { type: 'array', items: { enum: ['parts', 'notes'] } }, explode: false },
        ],
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } } },
      },
    },
    '/orders': {
      get: {
        operationId: 'listOrders',
        parameters: ['state', 'limit', 'cursor'].map((name) => ({ name, in: 'query', schema: {} })),
        responses: {
          200: {
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Order' } } },
            },
          },
        },
      },
      post: {
        operationId: 'createOrder',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: { 201: { description: 'Made.' } },
      },
    },
  },
};
const { operations, facts } = readApi(Buffer.from(JSON.stringify(DOCUMENT)), null);

export function faceOf(name: string, part: Partial<Face> = {}): Face {
  const found = operations.find((each) => each.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return {
    ...found,
    baseUrl: null,
    warnings: [],
    linkKinds: linkKindsFor(found.plan.security, facts.schemes),
    ...part,
  };
}

export const SHOP_SCHEMES = facts.schemes;
