// Imported before all else: libraries that need a newer Node would fail while they load, with an error about themselves.

/** The oldest release on which the processes run, as in `engines` of package.json. */
const OLDEST_NODE = 24;

const { node } = process.versions;
if (Number(node.split('.')[0]) < OLDEST_NODE) {
  process.stderr.write(`Weft needs Node ${OLDEST_NODE} or later, this is ${node}. Start it with a newer one.\n`);
  process.exit(1);
}
