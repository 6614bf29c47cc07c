// @ts-check
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const PARTS = /** @type {const} */ (['run', 'accept', 'latency']);
/** In addition to the table: whether the duration of failed sign-ins reveals accounts; the live streams; the memory that 50 MB responses and long exports
 * take; how retention affects runs, and imports of APIs; what more workers give; what the stored history costs; systems in short turns; everything at once (`--seconds 600`);
 * what each question, sweep and start takes with millions of stored plays (`--plays 1e7`). */
const SIDE = /** @type {const} */ ([
  'logins',
  'sockets',
  'payloads',
  'audit-export',
  'retention',
  'workers',
  'growth',
  'compare',
  'mixed',
  'imports',
  'stored',
]);
/**
 * `floor-8`: the floor with one job for up to 8 plays that were accepted together. `operation`: the product with a play that calls an
 * operation of an API instead of a web request; only where it is named.
 */
export const SYSTEM_NAMES = /** @type {const} */ (['product', 'floor', 'floor-8', 'operation']);
const PROFILED = ['api', 'worker', 'scheduler', 'realtime'];

export const USAGE = `npm run bench -- [run] [accept] [latency] [logins] [sockets] [payloads] [audit-export] [retention] [workers] [growth] [compare] [mixed] [imports] [stored] [options]      (no part named: the first three)
  --seconds 10       measured time of each leg, after the warm-up
  --warmup 3         seconds of load before that
  --pairs 3          how often product and floors take turns
  --connections 64   closed loop: clients that post side by side
  --outstanding 500  closed loop: plays accepted and not yet executed, at most
  --rate N           open loop of part run, runs/s (by default 60 % of the slower system's closed loop); part sockets: plays/s (200)
  --only NAMES       product, floor, floor-8, operation (comma); default: all but operation
  --webhooks N       endpoints of the product that get the event play.done of each play (0)
  --copies 1         part compare: how often each system is started; the pairs are of each copy in turn
  --against DIR      part compare: the built product of another checkout (before) instead of the floors
  --node-flags FLAGS part compare: further Node flags of the product (space between them)
  --env NAME=VALUE   part compare: a setting of the product; may be repeated
  --plays 2e6        part stored: plays that are stored in the end; a tenth of them first
  --profile NAMES    CPU profiles of these processes (api, worker, scheduler, realtime; comma) while they are measured`;

/**
 * @typedef {object} Options
 * @property {readonly (typeof PARTS)[number][]} parts
 * @property {readonly (typeof SIDE)[number][]} side
 * @property {readonly (typeof SYSTEM_NAMES)[number][]} systems
 * @property {number} seconds
 * @property {number} warmup
 * @property {number} pairs
 * @property {number} connections
 * @property {number} outstanding
 * @property {number | null} rate
 * @property {number} webhooks
 * @property {number} plays
 * @property {number} copies
 * @property {string | null} against
 * @property {readonly string[]} nodeFlags
 * @property {Readonly<Record<string, string>>} envs
 * @property {readonly string[]} profile
 */

/**
 * @param {readonly string[]} argv
 * @returns {Options | { help: true }}
 * @throws {Error} with a sentence for whoever typed it
 */
export function readOptions(argv) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '10' },
      warmup: { type: 'string', default: '3' },
      pairs: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      outstanding: { type: 'string', default: '500' },
      rate: { type: 'string' },
      webhooks: { type: 'string' },
      only: { type: 'string' },
      plays: { type: 'string', default: '2e6' },
      copies: { type: 'string', default: '1' },
      against: { type: 'string' },
      'node-flags': { type: 'string', default: '' },
      env: { type: 'string', multiple: true, default: [] },
      profile: { type: 'string', default: '' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { help: true };
  const side = SIDE.filter((name) => positionals.includes(name));
  const others = positionals.filter((name) => !SIDE.some((known) => known === name));
  return {
    parts: positionals.length === 0 ? PARTS : others.map((name) => oneOf('part', PARTS, name)),
    side,
    systems:
      values.only === undefined
        ? SYSTEM_NAMES.filter((name) => name !== 'operation')
        : values.only.split(',').map((name) => oneOf('--only', SYSTEM_NAMES, name)),
    seconds: positive('seconds', values.seconds),
    warmup: positive('warmup', values.warmup),
    pairs: positive('pairs', values.pairs),
    connections: positive('connections', values.connections),
    outstanding: positive('outstanding', values.outstanding),
    rate: values.rate === undefined ? null : positive('rate', values.rate),
    webhooks: values.webhooks === undefined ? 0 : positive('webhooks', values.webhooks),
    plays: positive('plays', values.plays),
    copies: positive('copies', values.copies),
    against: values.against === undefined ? null : resolve(values.against),
    nodeFlags: values['node-flags'].split(' ').filter((flag) => flag !== ''),
    envs: Object.fromEntries(
      values.env.map((text) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)]),
    ),
    profile: values.profile === '' ? [] : values.profile.split(',').map((name) => oneOf('--profile', PROFILED, name)),
  };
}

/**
 * @template {string} Name
 * @param {string} what @param {readonly Name[]} known @param {string} name
 * @returns {Name}
 */
function oneOf(what, known, name) {
  const found = known.find((candidate) => candidate === name);
  if (found === undefined) throw new Error(`${what}: ${name} is none of ${known.join(', ')}`);
  return found;
}

/** @param {string} name @param {string} text */
function positive(name, text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name}: ${text} is no whole number above 0`);
  return number;
}
