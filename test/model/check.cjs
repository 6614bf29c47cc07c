// exhaustive checks of the corrected protocol
const { bfs } = require('./model.cjs');
const C = [
 ['no fault', { layers: ['epe'] }],
 ['2 crashes', { layers: ['epe'], budget: { crash: 2 } }],
 ['crash+freeze', { layers: ['epe'], budget: { crash: 1, freeze: 1 } }],
 ['2 freezes', { layers: ['ee'], budget: { freeze: 2 } }],
 ['wipe x3, no ring', { layers: ['epe'], reconcilers: 2, budget: { wipe: 3, qloss: 1 } }],
 ['wipe+crash, 2 reconcilers', { layers: ['epe'], reconcilers: 2, budget: { wipe: 1, crash: 1, qloss: 1 } }],
 ['frozen ring + wipe, 2 reconcilers', { layers: ['pe'], reconcilers: 2, budget: { qfreeze: 1, wipe: 1, qloss: 1 } }],
 ['lost lock + crash', { layers: ['epe'], budget: { lostlock: 1, crash: 1 } }],
 ['slow owner + crash', { layers: ['epe'], reconcilers: 2, budget: { slow: 1, crash: 1 } }],
 ['hold/release x2', { layers: ['epe'], budget: { hold: 2, release: 2 } }],
 ['hold/release + crash', { layers: ['epe'], budget: { hold: 1, release: 1, crash: 1 } }],
 ['hold/release + freeze', { layers: ['epe'], budget: { hold: 1, release: 1, freeze: 1 } }],
 ['cancel/retry + crash', { layers: ['epe'], budget: { cancel: 1, retry: 1, crash: 1 } }],
 ['cancel/retry + freeze', { layers: ['epe'], budget: { cancel: 1, retry: 1, freeze: 1 } }],
 ['hold+cancel+retry', { layers: ['epe'], budget: { hold: 1, release: 1, cancel: 1, retry: 1 } }],
 ['layer fail + retry + crash', { layers: ['epe'], budget: { fail: 1, retry: 1, crash: 1 } }],
 ['wait/resume + crash', { layers: ['ewe'], budget: { resume: 1, crash: 1 } }],
 ['wait/resume/hold + wipe', { layers: ['ewe'], budget: { resume: 1, hold: 1, release: 1, wipe: 1 } }],
 ['wait/resume + freeze', { layers: ['ewe'], budget: { resume: 1, freeze: 1 } }],
 ['wait first: resume + freeze', { layers: ['we'], budget: { resume: 1, freeze: 1 } }],
 ['delay + crash + hold', { layers: ['ede'], budget: { crash: 1, hold: 1, release: 1 } }],
 ['hand-back x2 + crash', { layers: ['epe'], budget: { hb: 2, crash: 1 } }],
 ['once-layer: crash+freeze', { layers: ['poe'], budget: { crash: 1, freeze: 1, retry: 1 } }],
 ['once-layer: lost lock + wipe', { layers: ['oe'], reconcilers: 2, budget: { lostlock: 1, wipe: 1, crash: 1 } }],
 ['once-layer: hold/release + freeze', { layers: ['oe'], budget: { hold: 1, release: 1, freeze: 1 } }],
 ['once-layer: hold/release + crash', { layers: ['po'], budget: { hold: 1, release: 1, crash: 1 } }],
 ['once-layer: hand-back + hold', { layers: ['eo'], budget: { hb: 1, hold: 1, release: 1 } }],
 ['once-layer: claimed, hand-back', { layers: ['o'], reconcilers: 2, budget: { wipe: 1, hb: 2, crash: 1 } }],
 ['lazy stores pure: crash + freeze', { layers: ['ppe'], budget: { crash: 1, freeze: 1 } }],
 ['lazy stores pure: lost lock + hold', { layers: ['pep'], budget: { lostlock: 1, hold: 1, release: 1 } }],
 ['lazy stores pure: wipe + cancel', { layers: ['epp'], reconcilers: 2, budget: { wipe: 1, qloss: 1, cancel: 1 } }],
 ['lazy stores pure: wait, hand-back', { layers: ['pwpe'], budget: { resume: 1, hb: 1, crash: 1 } }],
 ['lazy stores pure: events', { layers: ['ppe'], trackPub: 1, budget: { lostlock: 1, crash: 1, hold: 1, release: 1 } }],
 ['3 crashes', { layers: ['pe'], budget: { crash: 3, wipe: 1 } }],
 ['poison, 2 slots, 1 worker', { layers: ['e', 'e'], workers: 1, slots: 2, poison: 0, budget: {} }],
 ['poison, 2 slots, 2 workers', { layers: ['e', 'e'], workers: 2, slots: 2, poison: 0, budget: {} }],
 ['key: 2 plays, cancel, retry', { layers: ['e', 'e'], keys: [1, 1], budget: { cancel: 1, retry: 1, fail: 1 } }],
 ['key: 2 plays, crash, cancel, retry', { layers: ['e', 'e'], keys: [1, 1], budget: { cancel: 1, retry: 1, crash: 1 } }],
 ['2 plays, crash + wipe', { layers: ['pe', 'e'], budget: { crash: 1, wipe: 1 } }],
 ['events: crash + hold', { layers: ['epe'], trackPub: 1, budget: { crash: 1, hold: 1, release: 1 } }],
 ['events: freeze', { layers: ['epe'], trackPub: 1, budget: { freeze: 1 } }],
];
const only = process.argv[2]; let tot = 0, te = 0, t0 = Date.now();
for (const [n, c] of C) {
  if (only && !n.includes(only)) continue;
  const cfg = Object.assign({ workers: 2, reconcilers: 1, budget: {} }, c);
  const r = bfs(cfg, {}, { live: true, max: 1.2e6, ms: +(process.argv[3] || 60000) });
  tot += r.states; te += r.edges || 0;
  console.log((r.violation ? 'FAIL ' : r.complete ? 'ok   ' : 'part ') + n.padEnd(38), r.states, r.edges || '', (r.s || '') + 's', r.violation ? '\n   ' + r.violation + '\n   ' + r.trace.join(' | ') : '');
}
console.log('total states', tot, 'edges', te, ((Date.now() - t0) / 1000).toFixed(0) + 's');
