const { walks } = require('./model.cjs');
const sec = +(process.argv[2] || 20) * 1000, seed = +(process.argv[3] || 7);
const C = [
 ['3 plays, 3 workers, all faults', { layers: ['epepe', 'ewe', 'poe'], workers: 3, slots: 2, reconcilers: 2, budget: { crash: 2, freeze: 2, lostlock: 1, wipe: 2, qloss: 2, qfreeze: 1, slow: 1, hb: 2, fail: 1, hold: 2, release: 3, cancel: 1, resume: 2, retry: 2 } }],
 ['4 plays, 2 keys', { layers: ['pe', 'ee', 'de', 'ew'], keys: [1, 1, 2, 2], workers: 2, slots: 2, reconcilers: 2, trackPub: 1, budget: { crash: 2, freeze: 1, wipe: 1, qloss: 1, fail: 2, hold: 2, release: 3, cancel: 2, resume: 2, retry: 3 } }],
 ['poison among 3', { layers: ['pe', 'epe', 'ee'], poison: 0, workers: 2, slots: 3, reconcilers: 2, budget: { wipe: 1 } }],
];
let st = 0;
for (const [n, c] of C) { const r = walks(c, {}, 1e9, { ms: sec, seed, len: 200 }); st += r.steps; console.log(n, r.violation ? 'VIOLATION ' + r.violation + '\n  ' + r.trace.join(' | ') : 'ok', JSON.stringify({ walks: r.walks ?? r.walk, steps: r.steps })); }
console.log('steps', st);
