// @ts-check
import { randomBytes } from 'node:crypto';

const TAG = randomBytes(4).readUInt32LE().toString(32).padStart(7, '0');
let counter = 0;
let lastMs = 0;

/**
 * @typedef {object} StoredPlay the fields of the product's play (protocol section 2) that the floor needs or carries
 * @property {string} _id
 * @property {1} schemaVersion
 * @property {string} company_id
 * @property {string} flowId
 * @property {number} version
 * @property {string} state
 * @property {number} epoch
 * @property {number} seq
 * @property {number} cursor
 * @property {string} [owner]
 * @property {Date} [heartbeatAt]
 * @property {Date} [dueAt]
 * @property {true} [strict]
 * @property {number} [started]
 * @property {number} crashes
 * @property {object[]} layers
 * @property {object[]} log
 * @property {Date} [completedAt]
 * @property {{ n: number }} args
 * @property {string} trigger
 * @property {string} triggeredBy
 * @property {number} priority
 * @property {Date} createdAt
 */

/** 20 characters that sort by the time of their creation, like the product's ids. */
export function newPlayId() {
  const ms = Date.now();
  counter = ms === lastMs ? counter + 1 : 0;
  lastMs = ms;
  return ms.toString(32).padStart(9, '0') + counter.toString(32).padStart(4, '0') + TAG;
}

/**
 * The play as it is accepted: one log entry, no layer.
 * @param {string} companyId @param {string} flowId @param {{ n: number }} args
 * @returns {StoredPlay}
 */
export function newPlay(companyId, flowId, args) {
  const now = new Date();
  return {
    _id: newPlayId(),
    schemaVersion: 1,
    company_id: companyId,
    flowId,
    version: 3,
    state: 'NEW',
    epoch: 1,
    seq: 1,
    cursor: 0,
    heartbeatAt: now,
    crashes: 0,
    layers: [],
    log: [{ seq: 1, type: 'accepted', at: now }],
    args,
    trigger: 'api',
    triggeredBy: companyId,
    priority: 0,
    createdAt: now,
  };
}
