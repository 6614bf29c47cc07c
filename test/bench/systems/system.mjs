// @ts-check
/**
 * What a leg needs from the measured system.
 *
 * @typedef {object} SystemContext
 * @property {string} label unique per leg: names files
 * @property {string} mongodbUri
 * @property {string} redisUrl
 * @property {string} db fresh per leg
 * @property {string} prefix of queue keys; fresh per leg
 * @property {string} targetOrigin
 * @property {string} folder for what the processes keep on disk
 * @property {import('../machine/processes.mjs').Processes} processes
 * @property {import('../machine/profiling.mjs').Profiling} profiling
 * @property {number} [webhooks] endpoints of the product at the target
 * @property {Readonly<Record<string, string>>} [env] further settings of the product
 * @property {string} [root] a checkout that is built: the product is started from there
 * @property {readonly string[]} [nodeFlags] further Node flags of API and worker
 *
 * @typedef {object} RunningSystem ready for runs, without a worker so far
 * @property {{ origin: string, path: string, headers: Record<string, string> }} request where runs are posted
 * @property {Record<string, import('../machine/processes.mjs').Started>} processes by role: `api`, `worker`, …
 * @property {() => Promise<void>} startWorker
 * @property {() => Promise<void>} stop
 */

import { startFloor } from './floor.mjs';
import { startProduct } from './product.mjs';

/** @type {Record<import('../options.mjs').Options['systems'][number], (context: SystemContext) => Promise<RunningSystem>>} */
export const SYSTEMS = {
  product: startProduct,
  operation: (context) => startProduct(context, 'operation'),
  floor: (context) => startFloor(context, 1),
  'floor-8': (context) => startFloor(context, 8),
};

/** @typedef {keyof typeof SYSTEMS} SystemName */
