const { walks } = require('./model.cjs');
const c = { layers: ['pe', 'epe', 'ee'], poison: 0, workers: 1, slots: 3, reconcilers: 1, budget: {} };
const show = (n, r) => console.log(n, r.violation ? 'VIOLATION ' + r.violation + '\n  ' + r.trace.join(' | ') : 'ok', JSON.stringify({ walks: r.walks ?? r.walk, steps: r.steps }));
show('poison, fix', walks(c, {}, 1e9, { ms: 15000, seed: 5, len: 60 }));
show('poison + wipe, 2 workers', walks({ ...c, workers: 2, reconcilers: 2, budget: { wipe: 1 } }, {}, 1e9, { ms: 25000, seed: 6, len: 200 }));
show('poison + wipe, strict counted', walks({ ...c, workers: 2, reconcilers: 2, budget: { wipe: 1 } }, { strictNoCount: false }, 1e9, { ms: 20000, seed: 6, len: 200 }));
show('poison, no isolation', walks(c, { isolateSuspects: false }, 1e9, { ms: 20000, seed: 5, len: 60 }));
