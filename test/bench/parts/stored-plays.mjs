// @ts-check
const INSERT_AT_ONCE = 5_000;

/**
 * Stores copies of a play that has run, a millisecond apart.
 * @param {import('mongoose').mongo.Db} db @param {number} count @param {number} ageMs of the oldest
 */
export async function addPlays(db, count, ageMs) {
  const plays = db.collection('plays');
  const model = await plays.findOne({ state: 'DONE' });
  if (!model) throw new Error('no play has run');
  const { key: _, ...rest } = model;
  const from = Date.now() - ageMs;
  for (let i = 0; i < count; i += INSERT_AT_ONCE) {
    const copies = Array.from({ length: Math.min(INSERT_AT_ONCE, count - i) }, (_each, j) => {
      const at = new Date(from + i + j);
      return { ...rest, _id: /** @type {never} */ (idAt(at.getTime(), i + j)), createdAt: at, completedAt: at };
    });
    await plays.insertMany(copies, { ordered: false });
  }
}

/** A play's id: 96 bits, of which the first 48 are its time. @param {number} ms @param {number} n */
function idAt(ms, n) {
  const bits = (BigInt(ms) << 48n) | BigInt(n);
  return Array.from(
    { length: 20 },
    (_, i) => '0123456789abcdefghjkmnpqrstvwxyz'[Number((bits >> BigInt(95 - 5 * i)) & 31n)],
  ).join('');
}
