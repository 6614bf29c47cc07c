/** No security schemes; ids with slashes; a header Link; choices and null; a text as a body; an upload at another server. */
export const CODE_HOST = {
  openapi: '3.1.0',
  info: { title: 'Code host', version: '1' },
  servers: [{ url: 'https://api.code.example' }],
  paths: {
    '/repos/{owner}/labels': {
      get: {
        operationId: 'issues/list-labels',
        parameters: [
          { $ref: '#/components/parameters/owner' },
          { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
        ],
        responses: {
          200: {
            description: 'ok',
            headers: { Link: { schema: { type: 'string' } } },
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/label' } } },
            },
          },
        },
      },
      post: {
        operationId: 'issues/create-label',
        parameters: [{ $ref: '#/components/parameters/owner' }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                oneOf: [{ $ref: '#/components/schemas/cat' }, { $ref: '#/components/schemas/dog' }],
                discriminator: { propertyName: 'kind', mapping: { c: '#/components/schemas/cat' } },
              },
            },
          },
        },
        responses: {
          201: { description: 'ok' },
          422: { description: 'no', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
    '/markdown/raw': {
      post: {
        operationId: 'markdown/render-raw',
        requestBody: {
          content: { 'text/plain': { schema: { type: 'string' } }, 'text/x-markdown': { schema: { type: 'string' } } },
        },
        responses: {
          200: { description: 'ok', content: { 'text/html': { schema: { type: 'string' } } } },
          304: { description: 'same' },
        },
      },
    },
    '/repos/{owner}/contents/{path}': {
      get: {
        operationId: 'repos/get-content',
        parameters: [
          { $ref: '#/components/parameters/owner' },
          { name: 'path', in: 'path', required: true, 'x-multi-segment': true, schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': { schema: { anyOf: [{ $ref: '#/components/schemas/label' }, { type: 'null' }] } },
            },
          },
        },
      },
    },
    '/assets': {
      servers: [{ url: 'https://uploads.code.example' }],
      post: {
        parameters: [{ name: 'name', in: 'query', required: true, schema: { type: 'string' } }],
        requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } },
        responses: { 201: { description: 'ok' } },
      },
    },
  },
  components: {
    parameters: { owner: { name: 'owner', in: 'path', required: true, schema: { type: 'string' } } },
    schemas: {
      label: {
        type: ['object', 'null'],
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/label' } },
        },
      },
      cat: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' }, lives: { type: 'integer' } } },
      dog: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } },
    },
  },
};
