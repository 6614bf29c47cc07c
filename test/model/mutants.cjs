// each fix removed in turn: the shortest counterexample (breadth first)
const { bfs } = require('./model.cjs');
const M = [
 ['seqCas', { layers: ['epe'], budget: { hold: 1, release: 1 } }],
 ['holdKeepsEpoch', { layers: ['epe'], budget: { hold: 1, release: 1 } }],
 ['pinHeldRelease', { layers: ['epe'], budget: { hold: 1, release: 1 } }],
 ['ownerCheck', { layers: ['epe'], budget: { lostlock: 1, hb: 1 } }],
 ['ownerCheck', { layers: ['oe'], budget: { crash: 1, freeze: 1 } }],
 ['strict', { layers: ['e'], workers: 1, poison: 0 }],
 ['countRedelivery', { layers: ['e'], workers: 1, poison: 0 }],
 ['raiseIsNoCrash', { layers: ['e'], workers: 1, budget: { wipe: 3 } }],
  ['twoLooks', { layers: ['e'], budget: { wipe: 1 } }],
 ['reapExact', { layers: ['e'], budget: { slow: 1 } }],
 ['staleProof', { layers: ['ee'], budget: { freeze: 1 } }],
 ['inbox', { layers: ['ew'], budget: { resume: 1 } }],
 ['giveUpRaises', { layers: ['ewe'], budget: { resume: 1, freeze: 1, hold: 1, release: 1, crash: 1 } }],
 ['retryTakesKey', { layers: ['e', 'e'], keys: [1, 1], budget: { cancel: 1, retry: 1 } }],
 ['cancelRaises', { layers: ['ee'], budget: { cancel: 1, retry: 1, freeze: 1 } }],
 ['finalGuard', { layers: ['ee'], budget: { cancel: 1 } }],
 ['publishAfter', { layers: ['epe'], trackPub: 1, budget: { crash: 1 } }],
 ['raiseTouchesBeat', { layers: ['e'], budget: { wipe: 1, qloss: 1 } }],
 ['retryWaits', { layers: ['epe'], budget: { cancel: 1, retry: 1 } }],
 ['releaseWaits', { layers: ['epe'], budget: { hold: 1, release: 1, wipe: 1 } }],
 ['reclaim', { layers: ['ewe'], budget: { resume: 1, freeze: 1 } }],
 ['releaseRaises', { layers: ['epe'], budget: { hold: 1, release: 1, wipe: 1 } }],
 ['handBackRereads', { layers: ['epe'], budget: { hold: 1, release: 1, hb: 1 } }],
 ['ringDeadline', { layers: ['pe'], budget: { qfreeze: 1, wipe: 1 } }],
 ['readProvesNothing', { layers: ['we'], budget: { resume: 1, freeze: 1 } }],
 ['keepForeignStart', { layers: ['o'], budget: { crash: 1, hold: 1, release: 1 } }],
 ['keepForeignStart', { layers: ['o'], budget: { freeze: 1, hold: 1, release: 1, qloss: 1 } }],
 ['resetCrashes', { layers: ['eeee'], workers: 1, budget: { crash: 3 } }],
];
for (const [f, c] of M) {
  if (process.argv[2] && !process.argv[2].split(",").includes(f)) continue;
  const cfg = Object.assign({ workers: 2, reconcilers: 1, budget: {} }, c);
  const r = bfs(cfg, { [f]: false }, { live: true, max: 4e5, ms: 15000 });
  console.log(`- ${f} (${JSON.stringify(c)}):`, r.violation ? `${r.violation}\n    ${r.trace.join(' | ')}` : `no violation in ${r.states} states${r.complete ? '' : ' (cut)'}`);
}
