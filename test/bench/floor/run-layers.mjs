// @ts-check
import { expectedText, TARGET_PATH, TEMPLATE_REF, WEB_REQUEST_REF } from '../the-play.mjs';
import { webRequest } from './web-request.mjs';

/**
 * Runs both layers of the play and returns the results and events of the protocol: 2 layers, 7 log entries after `accepted`.
 * The template is a JavaScript literal: the floor needs no expression language.
 *
 * @param {{ _id: string, seq: number, args: { n: number } }} play
 * @param {string} targetOrigin
 * @param {string} owner
 */
export async function runLayers(play, targetOrigin, owner) {
  const startedAt = new Date();
  const out = await webRequest(`${targetOrigin}${TARGET_PATH}?n=${play.args.n}`, `${play._id}.0`);
  const fetchedAt = new Date();
  const text = `Order ${out.json.n} is ${out.json.status}.`;
  if (text !== expectedText(play.args.n)) throw new Error(`the target answered ${out.body} to run ${play.args.n}`);
  const completedAt = new Date();
  let { seq } = play;
  return {
    layers: [
      layerResult(0, WEB_REQUEST_REF, startedAt, fetchedAt, out, out.body.length, owner),
      layerResult(1, TEMPLATE_REF, fetchedAt, completedAt, { text }, text.length, owner),
    ],
    log: [
      { seq: (seq += 1), type: 'state', from: 'NEW', state: 'RUN', at: startedAt },
      { seq: (seq += 1), type: 'start', layer: 0, ref: WEB_REQUEST_REF, name: WEB_REQUEST_REF, at: startedAt },
      { seq: (seq += 1), type: 'complete', layer: 0, state: 'DONE', at: fetchedAt },
      { seq: (seq += 1), type: 'start', layer: 1, ref: TEMPLATE_REF, name: TEMPLATE_REF, at: fetchedAt },
      { seq: (seq += 1), type: 'complete', layer: 1, state: 'DONE', at: completedAt },
      { seq: (seq += 1), type: 'state', from: 'RUN', state: 'DONE', at: completedAt },
      { seq: (seq += 1), type: 'end', state: 'DONE', at: completedAt },
    ],
    seq,
  };
}

/**
 * @param {number} position @param {string} ref @param {Date} startedAt @param {Date} completedAt
 * @param {unknown} out @param {number} outBytes @param {string} by
 */
function layerResult(position, ref, startedAt, completedAt, out, outBytes, by) {
  return { position, ref, name: ref, state: 'DONE', startedAt, completedAt, out, outBytes, attempts: 1, by };
}
