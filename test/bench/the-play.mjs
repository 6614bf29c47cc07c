// @ts-check
/**
 * The one play that everything here measures, the same for product and floor: a web request to the local target, and a
 * text template that reads its answer. Only the code that runs it differs between the two.
 */

export const TARGET_PATH = '/echo';
/** Of the target: where webhooks are delivered. */
export const WEBHOOK_PATH = '/webhook';
export const WEB_REQUEST_REF = 'fetch';
export const TEMPLATE_REF = 'text';

/** @typedef {'web-request' | 'operation'} Caller by which module the play calls the target */

/** Of the API that has the operation. */
export const API_KEY = 'bench';

/** @param {string} targetOrigin e.g. `http://127.0.0.1:4000` @param {Caller} [caller] */
export function layersOfThePlay(targetOrigin, caller = 'web-request') {
  const args = {
    'web-request': { url: `${targetOrigin}${TARGET_PATH}?n={{ $prev.args.n }}` },
    operation: { api: API_KEY, operation: 'getOrder', input: { query: { n: '{{ $prev.args.n }}' } } },
  };
  const answer = `.${WEB_REQUEST_REF}.${caller === 'operation' ? 'body' : 'json'}`;
  return [
    { ref: WEB_REQUEST_REF, appId: caller, args: args[caller] },
    {
      ref: TEMPLATE_REF,
      appId: 'text-template',
      args: { template: `Order {{ ${answer}.n }} is {{ ${answer}.status }}.` },
    },
  ];
}

/** What the target would say of itself. @param {string} targetOrigin */
export function documentOfTheTarget(targetOrigin) {
  const text = { type: 'string' };
  const order = {
    type: 'object',
    required: ['n', 'status'],
    properties: {
      ...{ n: { type: 'integer' }, status: text, item: text, quantity: { type: 'integer', minimum: 0 } },
      ...{ currency: { type: 'string', minLength: 3, maxLength: 3 }, total: { type: 'number' } },
    },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    servers: [{ url: targetOrigin }],
    components: { schemas: { Order: order } },
    paths: {
      [TARGET_PATH]: {
        get: {
          operationId: 'getOrder',
          parameters: [{ name: 'n', in: 'query', required: true, schema: { type: 'integer' } }],
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } } },
        },
      },
    },
  };
}

/** What the template layer must have made of run number `n`. @param {number} n */
export function expectedText(n) {
  return `Order ${n} is confirmed.`;
}

/** The target's answer to run number `n`. @param {string} n */
export function targetAnswer(n) {
  return `{"n":${n},"status":"confirmed","item":"sprocket","quantity":3,"currency":"EUR","total":41.85}`;
}
