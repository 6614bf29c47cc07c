// @ts-check
import { createRequire } from 'node:module';
import { copyOf, idAt, randomOrder } from './copies.mjs';

/** The driver's own form for documents that are bytes already; it exports it to itself only. */
const { DocumentSequence } = createRequire(import.meta.url)('mongodb/lib/cmap/commands');

const AT_ONCE = 5_000;
const IN_PARALLEL = 2;
const DAY_MS = 86_400_000;
/** Ended plays are spread over the week that they are kept by default, and some hours more: one in twenty is due. */
const SPREAD_MS = 7.35 * DAY_MS;
const YOUNGEST_MS = 60_000;
/** Of the plays, company by company: the first has most. */
const SHARES = [0.6, 0.85, 0.95, 0.99, 1];
/** The first flow has half of the plays of its company, the next a quarter, and so on; the last one has a thousandth at least. */
const LAST_FLOW = 0.001;

/**
 * @param {import('mongoose').mongo.Db} db
 * @param {Awaited<ReturnType<typeof import('./models.mjs').makeModels>>} made
 * @param {number} count
 * @param {AbortSignal} signal
 */
export async function fill(db, { kinds, companies }, count, signal) {
  const now = Date.now();
  let [stored, nth] = [0, 0];
  const places = companies.map(({ id, flows }) => ({
    company: Buffer.from(id),
    flows: flows.map((flow) => Buffer.from(flow)),
  }));

  const batch = () => {
    const documents = new DocumentSequence('documents');
    const wanted = Math.min(AT_ONCE, count - stored);
    let made = 0;
    while (made < wanted) {
      const kind = pick(kinds);
      // evenly spread, oldest first, so that pages of the index by id fill one after the other as they do in life
      const agedMs = kind.isOpen ? 0 : YOUNGEST_MS + SPREAD_MS * (1 - (stored + made) / count);
      const ids = kind.models.map((_model, i) => idAt(now - Math.round(agedMs) + i, (nth += 1)));
      const at = SHARES.findIndex((share) => Math.random() < share);
      const { company, flows } = places[at] ?? places[0] ?? { company: Buffer.alloc(0), flows: [] };
      const flow = flows[flowOf(flows.length, kind.fails === true)] ?? company;
      const copy = { company, flow, shiftMs: -Math.round(agedMs), ids, order: randomOrder() };
      for (const model of kind.models) {
        const bytes = copyOf(model, copy);
        documents.push({}, bytes);
        made += 1;
      }
    }
    stored += made;
    return documents;
  };
  const lane = async () => {
    while (stored < count) {
      signal.throwIfAborted();
      // not waited for: a filling that is cut off is thrown away
      const { writeErrors } = await db.command({
        insert: 'plays',
        documents: batch(),
        ordered: false,
        writeConcern: { w: 1 },
      });
      if (writeErrors?.length > 0) throw new Error(`a copy was not stored: ${JSON.stringify(writeErrors[0])}`);
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, lane));
  return stored;
}

/** @param {readonly import('./models.mjs').Kind[]} kinds @returns {import('./models.mjs').Kind} */
function pick(kinds) {
  let left = Math.random() * 1e6;
  // of two plays each: by half as often
  const found = kinds.find(({ perMillion, models }) => (left -= perMillion / models.length) < 0);
  return found ?? /** @type {import('./models.mjs').Kind} */ (kinds[0]);
}

/** @param {number} flows @param {boolean} fails */
function flowOf(flows, fails) {
  if (!fails && Math.random() < LAST_FLOW) return flows - 1;
  return Math.min(flows - 2, Math.floor(-Math.log2(Math.random() || 1)));
}
