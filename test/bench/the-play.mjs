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

/** @param {string} targetOrigin e.g. `http://127.0.0.1:4000` */
export function layersOfThePlay(targetOrigin) {
  return [
    {
      ref: WEB_REQUEST_REF,
      appId: 'web-request',
      args: { url: `${targetOrigin}${TARGET_PATH}?n={{ $prev.args.n }}` },
    },
    {
      ref: TEMPLATE_REF,
      appId: 'text-template',
      args: { template: `Order {{ .${WEB_REQUEST_REF}.json.n }} is {{ .${WEB_REQUEST_REF}.json.status }}.` },
    },
  ];
}

/** What the template layer must have made of run number `n`. @param {number} n */
export function expectedText(n) {
  return `Order ${n} is confirmed.`;
}

/** The target's answer to run number `n`. @param {string} n */
export function targetAnswer(n) {
  return `{"n":${n},"status":"confirmed","item":"sprocket","quantity":3,"currency":"EUR","total":41.85}`;
}
