/** OpenAPI documents for specs. */

export const TEXT = { type: 'string' };
export const NUMBER = { type: 'number' };

/** One operation, as POST, with these fields of its body and of its answer. */
export const post = (operationId: string, fields: object = {}, answer: object = {}): object => ({
  operationId,
  summary: `Does ${operationId}`,
  tags: ['orders'],
  requestBody: { content: { 'application/json': { schema: { type: 'object', properties: fields } } } },
  responses: {
    200: { description: 'ok', content: { 'application/json': { schema: { type: 'object', properties: answer } } } },
  },
});

/** By path. */
export const documentOf = (operations: Record<string, object>, more: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    servers: [{ url: 'https://orders.example/v1' }],
    paths: Object.fromEntries(Object.entries(operations).map(([path, operation]) => [path, { post: operation }])),
    ...more,
  });

/** Swagger 2.0. */
export const CHAT = {
  swagger: '2.0',
  info: { title: 'Chat', version: '1.7' },
  host: 'chat.example',
  paths: {
    '/chat.post': {
      post: {
        operationId: 'chat_post',
        consumes: ['application/x-www-form-urlencoded'],
        parameters: [{ in: 'formData', name: 'text', required: true, type: 'string' }],
        responses: { 200: { description: 'ok' } },
      },
    },
  },
};

/** YAML. */
export const TRANSLATION = `openapi: 3.0.3
info: { title: Translation, version: '1' }
servers: [{ url: https://translation.example }]
paths:
  /translate:
    post:
      operationId: translate
      responses: { '200': { description: ok } }
`;
