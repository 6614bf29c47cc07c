/** Documents with what is odd in those of well-known services, written for specs. */

/** Swagger 2: forms only, the token among the parameters, `ok: false` in a 200, a tuple where a schema belongs. */
export const CHAT = {
  swagger: '2.0',
  info: { title: 'Chat', version: '1.7' },
  host: 'chat.example',
  basePath: '/api',
  schemes: ['https'],
  consumes: ['application/x-www-form-urlencoded'],
  produces: ['application/json'],
  securityDefinitions: {
    chatAuth: {
      type: 'oauth2',
      flow: 'accessCode',
      authorizationUrl: 'https://chat.example/oauth/authorize',
      tokenUrl: 'https://chat.example/api/oauth.access',
      scopes: { 'chat:write': 'Write' },
    },
  },
  definitions: {
    ok: { type: 'boolean', enum: [true] },
    channel: {
      type: 'object',
      properties: { id: { type: 'string' }, pair: { type: 'array', items: [{ type: 'string' }, {}] } },
    },
  },
  paths: {
    '/chat.post': {
      post: {
        operationId: 'chat_post',
        security: [{ chatAuth: ['chat:write'] }],
        parameters: [
          { in: 'header', name: 'token', required: true, type: 'string' },
          { in: 'formData', name: 'channel', required: true, type: 'string' },
          { in: 'formData', name: 'blocks', type: 'string' },
        ],
        responses: {
          200: { description: 'ok', schema: { type: 'object', properties: { ok: { $ref: '#/definitions/ok' } } } },
        },
      },
    },
    '/channels.list': {
      get: {
        operationId: 'channels_list',
        security: [{ chatAuth: [] }],
        parameters: [
          { in: 'query', name: 'token', required: true, type: 'string' },
          { in: 'query', name: 'cursor', type: 'string' },
          { in: 'query', name: 'types', type: 'array', items: { type: 'string' }, collectionFormat: 'csv' },
        ],
        responses: {
          200: {
            description: 'ok',
            schema: {
              type: 'object',
              properties: {
                channels: { type: 'array', items: { $ref: '#/definitions/channel' } },
                response_metadata: { type: 'object', properties: { next_cursor: { type: 'string' } } },
              },
            },
          },
          default: { description: 'no', schema: { type: 'object', properties: { error: { type: 'string' } } } },
        },
      },
    },
    '/files.upload': {
      post: {
        operationId: 'files_upload',
        consumes: ['multipart/form-data'],
        parameters: [
          { in: 'formData', name: 'title', type: 'string' },
          { in: 'formData', name: 'file', type: 'file' },
        ],
        responses: { 200: { description: 'ok' } },
      },
    },
  },
};

/** Basic login, a server of the path, forms with lists, names of parameters with signs, the next page as an address. */
export const MESSAGES = {
  openapi: '3.0.1',
  info: { title: 'Messages', version: '2010' },
  components: {
    securitySchemes: { login: { type: 'http', scheme: 'basic' } },
    schemas: {
      message: {
        type: 'object',
        properties: { sid: { type: 'string', nullable: true }, price: { type: 'number', nullable: true } },
      },
    },
  },
  security: [{ login: [] }],
  paths: {
    '/2010/Accounts/{AccountSid}/Messages.json': {
      servers: [{ url: 'https://api.messages.example' }],
      parameters: [
        { name: 'AccountSid', in: 'path', required: true, schema: { type: 'string', pattern: '^AC[0-9a-f]{4}$' } },
      ],
      get: {
        operationId: 'ListMessage',
        parameters: [
          { name: 'DateSent<', in: 'query', schema: { type: 'string', format: 'date-time' } },
          { name: 'DateSent>', in: 'query', schema: { type: 'string', format: 'date-time' } },
        ],
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    messages: { type: 'array', items: { $ref: '#/components/schemas/message' } },
                    next_page_uri: { type: 'string', format: 'uri', nullable: true },
                  },
                },
              },
            },
          },
        },
      },
      post: {
        operationId: 'CreateMessage',
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['To'],
                properties: { To: { type: 'string' }, MediaUrl: { type: 'array', items: { type: 'string' } } },
              },
            },
          },
        },
        responses: {
          201: {
            description: 'created',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/message' } } },
          },
        },
      },
    },
  },
};

/** Operations of one path that differ after `#`, another server for uploads, redirects, JSON patches, lists in one parameter. */
export const STORAGE = {
  openapi: '3.0.2',
  info: { title: 'Storage', version: '2.0' },
  servers: [{ url: 'https://api.storage.example/2.0' }],
  security: [{ oauth: [] }],
  components: {
    securitySchemes: {
      oauth: {
        type: 'oauth2',
        flows: {
          authorizationCode: { authorizationUrl: 'https://x.example/a', tokenUrl: 'https://x.example/t', scopes: {} },
        },
      },
    },
    schemas: {
      item: {
        type: 'object',
        required: ['id', 'type'],
        properties: {
          id: { type: 'string', readOnly: true },
          type: { type: 'string' },
          parent: { $ref: '#/components/schemas/folder' },
        },
      },
      folder: {
        allOf: [
          { $ref: '#/components/schemas/item' },
          { type: 'object', properties: { entries: { type: 'array', items: { $ref: '#/components/schemas/item' } } } },
        ],
      },
    },
  },
  paths: {
    '/files/content': {
      post: {
        operationId: 'post_files_content',
        servers: [{ url: 'https://upload.storage.example/api/2.0' }],
        parameters: [
          { name: 'fields', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'content-md5', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['attributes', 'file'],
                properties: {
                  attributes: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                  file: { type: 'string', format: 'binary' },
                },
              },
            },
          },
        },
        responses: {
          201: {
            description: 'created',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/folder' } } },
          },
        },
      },
    },
    '/files/{id}/content': {
      get: {
        operationId: 'get_files_id_content',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'access_token', in: 'query', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'the file',
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
          202: { description: 'not yet' },
          302: { description: 'elsewhere' },
        },
      },
    },
    '/schema#add': {
      put: {
        operationId: 'put_schema#add',
        requestBody: { content: { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } } },
        responses: { 200: { description: 'ok' } },
      },
    },
    '/schema#update': {
      put: {
        operationId: 'put_schema#update',
        requestBody: {
          content: { 'application/json-patch+json': { schema: { type: 'array', items: { type: 'object' } } } },
        },
        responses: { 200: { description: 'ok' } },
      },
    },
    '/folders': {
      post: {
        operationId: 'post_folders',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/item' } } } },
        responses: {
          201: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/item' } } },
          },
        },
      },
    },
  },
};

/** YAML with anchors; two servers; the prefix of the key in prose; two types for one body; answers that are not JSON. */
export const TRANSLATION = `
openapi: 3.0.3
info: { title: Translation, version: '2' }
servers:
  - { url: https://api.translate.example, description: Paid }
  - { url: 'https://{plan}.translate.example', variables: { plan: { default: free, enum: [free, trial] } } }
security: [{ key: [] }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: Authorization, description: 'Prefix "Translate-Key "' }
  parameters:
    id: { name: id, in: path, required: true, schema: { type: string } }
x-fields: &fields
  target: { type: string }
paths:
  /v2/translate:
    post:
      operationId: translateText
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { <<: *fields, text: { type: array, items: { type: string } } } }
          application/json:
            schema: { type: object, required: [text], properties: { <<: *fields, text: { type: array, items: { type: string } } } }
      responses:
        200: { description: ok, content: { application/json: { schema: { type: object } } } }
        4XX: { description: no, content: { application/json: { schema: { type: object, properties: { message: { type: string } } } } } }
  /v2/glossaries/{id}/entries:
    get:
      operationId: getEntries
      parameters:
        - { $ref: '#/components/parameters/id' }
        - { name: Accept, in: header, schema: { type: string } }
      responses:
        200: { description: ok, content: { text/tab-separated-values: { schema: { type: string } } } }
  /v2/glossaries/{id}:
    delete:
      operationId: deleteGlossary
      parameters: [{ $ref: '#/components/parameters/id' }]
      responses: { 204: { description: gone } }
`;

/** Operations in other files. */
export const MANY_FILES = `
openapi: 3.0.0
info: { title: Cloud, version: '2.0' }
paths:
  /v2/tags:
    get: { $ref: 'resources/tags/list.yml' }
    post: { $ref: 'http://169.254.169.254/latest' }
  /v2/regions: { $ref: 'file:///etc/passwd' }
`;
