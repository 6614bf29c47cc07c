'use strict';
// Explicit-state model of the play protocol. One step = one atomic action of one store or process.
// FIX switches: all true = the corrected protocol; one false = that fix removed (mutation), to show that it is needed.
const FIX = {
  seqCas: true,        // worker writes compare (epoch, seq), not (epoch, cursor)
  holdKeepsEpoch: true,// hold does not raise the epoch (a running layer may still be recorded)
  ownerCheck: true,    // a same-epoch second worker stops when the play has an owner
  strict: true,        // re-delivered or reconciled plays are claimed by a write before anything runs
  countRedelivery: true,// a job that BullMQ handed out twice counts one crash at the claim
  raiseIsNoCrash: true,// an epoch raise without a recorded owner counts no crash
  resetCrashes: true,  // progress sets crashes to 0
  isolateSuspects: true,// suspects run few at a time in a process
  lastAlone: true,     // and one on its last chance beside no other suspect
  crashedClaims: true, // a play that has crashed claims before it runs, so a death before its claim is not its own
  handBackCounts: true,// a hand-back before the claim records the death of who had the play before
  twoLooks: true,      // reconciler: two looks >= 1 s apart before raising an unowned play
  reapExact: true,     // reap filter repeats the exact lease time that was read
  staleProof: true,    // no effect starts on a proof of ownership older than its window
  inbox: true,         // a resume that arrives early is stored
  giveUpRaises: true,  // WAIT/DEFERRED/held-stop/hand-back writes raise the epoch
  retryTakesKey: true, // retry re-takes the key under the unique index
  cancelRaises: true,  // cancel raises the epoch
  finalGuard: true,    // every filter excludes final states
  publishAfter: true,  // events published after the write that assigned their seq
  raiseTouchesBeat: true,// raise renews `heartbeatAt`, so a reconciler that dies before ringing is caught
  outcomeRead: true,   // (kept for reference)
  retryWaits: true,    // retry is refused until the proof window (1 s) after the FAIL has passed
  releaseWaits: true,  // release takes effect 1 s (the proof window) after the hold at the earliest
  releaseRaises: true, // release of an unowned play raises the epoch (safe after that second)
  handBackRereads: true,// a refused hand-back reads again like any write (a hold may have come between)
  strictNoCount: true, // a re-delivered play that was `strict` cannot have run unclaimed: no crash
  reclaim: true,       // a refused claim is followed by a claim, never by an unclaimed run
  ringDeadline: true,  // nobody rings later than 5 s after the write that asked for it
  pinHeldRelease: true,// release of a play whose owner still works keeps the owner
  readProvesNothing: true,// reading again is no sign of life: a stale proof stays stale until a write or renewal
  lazyUnowned: true,   // (belt and braces) the lazy write's filter says `owner` absent
  keepForeignStart: true,// stopping under hold forgets a recorded start only if it is its own (and not called yet)
  handBackForgets: true// a hand-back before the call forgets its own recorded start
};
const FINAL = { DONE: 1, FAIL: 1 };
const EDGES = { // state moves that may be stored, per actor
  worker: ['NEW>RUN','RUN>RUN','NEW>WAIT','RUN>WAIT','NEW>DEFERRED','RUN>DEFERRED','NEW>DONE','RUN>DONE','NEW>FAIL','RUN>FAIL','ON_HOLD>ON_HOLD','NEW>NEW','ON_HOLD>FAIL'],
  hold: ['NEW>ON_HOLD','RUN>ON_HOLD','WAIT>ON_HOLD','DEFERRED>ON_HOLD'],
  release: ['ON_HOLD>NEW','ON_HOLD>RUN','ON_HOLD>WAIT','ON_HOLD>DEFERRED'],
  cancel: ['NEW>FAIL','RUN>FAIL','WAIT>FAIL','DEFERRED>FAIL','ON_HOLD>FAIL'],
  resume: ['WAIT>RUN'], retry: ['FAIL>RUN'], reconcile: ['NEW>NEW','RUN>RUN','RUN>FAIL','NEW>FAIL','DEFERRED>RUN']
};
for (const k in EDGES) EDGES[k] = new Set(EDGES[k]);

function make(cfg, fixOverride) {
  const F = Object.assign({}, FIX, fixOverride || {});
  const L = cfg.layers;            // per play: string of kinds: e effect, p pure, w wait, d delay, o once (onInterrupted: fail)
  const track = !!cfg.trackPub;
  const LIMIT = cfg.crashLimit || 3, LANES = cfg.lanes || 2;
  function init() {
    return {
      P: L.map((l, i) => ({ x: 0, st: '-', ep: 0, sq: 0, cur: 0, own: 0, cr: 0, str: 0, hd: '', inb: 0, sta: 0, beat: '-', why: '', key: 0 })),
      J: [], W: Array.from({ length: cfg.workers }, () => ({ b: 0, f: 0, S: Array(cfg.slots || 1).fill(null) })),
      R: Array(cfg.reconcilers).fill(null), Q: [],
      B: Object.assign({ crash: 0, freeze: 0, lostlock: 0, wipe: 0, qloss: 0, qfreeze: 0, slow: 0, hb: 0, fail: 0, hold: 0, release: 0, cancel: 0, resume: 0, retry: 0 }, cfg.budget),
      G: { calls: L.map(l => Array(l.length).fill(0)), f: 0, real: L.map(() => 0), retr: L.map(() => 0), hc: L.map(() => 0), dead: L.map(() => 0), pub: track ? L.map(() => ({})) : 0 }
    };
  }
  const clone = s => JSON.parse(JSON.stringify(s));
  const idOf = (s, w) => (w + 1) * 100 + s.W[w].b;
  const keyOf = p => (cfg.keys ? cfg.keys[p] : 0);
  function bad(s, msg) { if (!s.bad) s.bad = msg; }
  function move(s, p, to, actor) {
    const d = s.P[p]; const e = d.st + '>' + to;
    if (!EDGES[actor].has(e)) bad(s, `edge ${e} by ${actor} (play ${p})`);
    if (FINAL[d.st] && actor !== 'retry') bad(s, `final state ${d.st} changed by ${actor}`);
    d.st = to;
    if (to === 'FAIL') d.key = 0;
    if (to !== 'ON_HOLD') s.G.hc[p] = 0;
    if (to === 'DONE' && keyOf(p)) { let n = 0; s.P.forEach((q, i) => { if (q.st === 'DONE' && keyOf(i) === keyOf(p)) n++; }); if (n > 1) bad(s, 'two DONE plays of one key'); }
  }
  function publish(s, p, seq, what) { if (!track) return; const m = s.G.pub[p]; if (m[seq] !== undefined && m[seq] !== what) bad(s, `phantom event: seq ${seq} of play ${p} published as ${m[seq]} and ${what}`); m[seq] = what; }
  function ring(s, p) { s.Q.push({ p, e: s.P[p].ep, f: 0 }); }
  function addJob(s, p, e) { if (!s.J.some(j => j.p === p && j.e === e)) { s.J.push({ p, e, w: 0, a: 0 }); s.J.sort((a, b) => a.p - b.p || a.e - b.e); } }
  const liveJob = (s, p, e) => s.J.some(j => j.p === p && j.e === e);
  const healthySlot = (s, p, pred) => s.W.some((w, wi) => !w.f && w.S.some(x => x && x.p === p && x.e === s.P[p].ep && pred(x, wi)));

  function snap(sl, d) { sl.sq = d.sq; sl.cur = d.cur; sl.inb = d.inb; sl.sta = d.sta; }
  function match(s, sl, id) {
    const d = s.P[sl.p];
    if (F.finalGuard && FINAL[d.st]) return false;
    if (d.ep !== sl.e) return false;
    return F.seqCas ? d.sq === sl.sq : d.cur === sl.cur;
  }
  function applyResults(d, sl) { const m = sl.cur + sl.n; if (m > d.cur) { d.cur = m; d.sta = 0; if (F.resetCrashes) d.cr = 0; } }
  function events(s, sl, d, id, k) { // k events get their numbers in this write
    for (let i = 0; i < k; i++) { d.sq++; if (F.publishAfter) publish(s, sl.p, d.sq, `${id}:${d.ep}:${d.sq}`); }
  }
  function endJob(s, w, k) { const sl = s.W[w].S[k], id = idOf(s, w); s.J = s.J.filter(j => !(j.p === sl.p && j.e === sl.je && j.w === id)); s.W[w].S[k] = null; }
  function checkCall(s, sl, m, id) {
    const d = s.P[sl.p], G = s.G;
    G.calls[sl.p][m]++;
    if (d.cur > m && d.st !== 'FAIL' && !s.G.rb) bad(s, `layer ${m} of play ${sl.p} called after it was recorded DONE`);
    const bound = 1 + G.f + G.retr[sl.p];
    if (G.calls[sl.p][m] > bound) bad(s, `layer ${m} of play ${sl.p}: ${G.calls[sl.p][m]} calls, ${G.f} faults, ${G.retr[sl.p]} retries`);
    if (L[sl.p][m] === 'o' && G.calls[sl.p][m] > 1 + G.retr[sl.p]) bad(s, `once-layer ${m} of play ${sl.p} called ${G.calls[sl.p][m]} times`);
    if (d.st === 'ON_HOLD') { G.hc[sl.p]++; if (G.hc[sl.p] > 1 + G.f) bad(s, `hold without effect: ${G.hc[sl.p]} calls of play ${sl.p} while ON_HOLD`); }
  }
  function crashFail(s, p) { const d = s.P[p]; d.why = 'crashed'; if (s.G.real[p] < LIMIT) bad(s, `innocent play ${p} FAILed crashed_repeatedly after ${s.G.real[p]} real crashes or lost leases`); if (cfg.poison !== undefined && cfg.poison !== p && L.length > 1) bad(s, `innocent play ${p} FAILed because it shared a process with a poison play`); }

  function succ(s) {
    const out = [];
    const add = (label, fault, fn) => { const t = clone(s); fn(t); out.push([label, fault, t]); };
    // ---- API accept
    s.P.forEach((d, p) => {
      if (d.x) return;
      const k = keyOf(p);
      if (k && s.P.some((q, i) => i !== p && q.x && q.key === k)) return; // answered with the holder; modelled as no accept
      if (p > 0 && !s.P[p - 1].x) return;
      add(`accept ${p}`, 0, t => { const q = t.P[p]; q.x = 1; q.st = 'NEW'; q.ep = 1; q.beat = 'n'; q.key = k; q.sq = 1; publish(t, p, 1, 'api'); ring(t, p); });
    });
    // ---- rings in flight
    s.Q.forEach((q, i) => {
      add(`ring ${q.p}-${q.e}`, 0, t => { t.Q.splice(i, 1); if (q.f && F.ringDeadline) return; addJob(t, q.p, q.e); });
      if (s.B.qloss) add(`process dies before ringing ${q.p}-${q.e}`, 1, t => { t.B.qloss--; t.Q.splice(i, 1); });
      if (s.B.qfreeze && !q.f) add(`process freezes before ringing ${q.p}-${q.e}`, 1, t => { t.B.qfreeze--; t.G.f++; t.Q[i].f = 1; });
    });
    if (s.B.wipe && s.J.length) add('Redis wiped', 1, t => { t.B.wipe--; t.J = []; });
    // ---- delivery
    s.W.forEach((w, wi) => {
      if (w.f) return;
      const k = w.S.findIndex(x => !x); if (k < 0) return;
      const seen = new Set();
      s.J.forEach((j, ji) => {
        if (j.w) return; const kk = j.p + '-' + j.e; if (seen.has(kk)) return; seen.add(kk);
        add(`W${wi} takes job ${kk}`, 0, t => { const x = t.J[ji]; x.w = idOf(t, wi); x.a = Math.min(2, x.a + 1); t.W[wi].S[k] = { p: j.p, e: j.e, je: j.e, a: x.a, pc: 'got', sq: 0, cur: 0, inb: 0, sta: 0, n: 0, pe: 0, L: 0, z: 0, lk: 0, sus: 0, sc: 0, c0: 0, h: 0 }; });
      });
    });
    s.J.forEach((j, ji) => {
      if (!j.w) return;
      const wi = Math.floor(j.w / 100) - 1, w = s.W[wi];
      const held = idOf(s, wi) === j.w && w.S.some(x => x && x.p === j.p && x.je === j.e);
      if (!held || w.f) add(`job ${j.p}-${j.e} stalled, back to wait`, 0, t => { t.J[ji].w = 0; });
      else if (s.B.lostlock) add(`lock of job ${j.p}-${j.e} lost`, 1, t => { t.B.lostlock--; t.G.f++; t.G.real[j.p]++; t.J[ji].w = 0; const y = w.S.find(x => x && x.p === j.p && x.je === j.e); if (!y.L) t.G.rb = 1; });
    });
    // ---- workers
    s.W.forEach((w, wi) => {
      const id = idOf(s, wi);
      const busy = w.S.some(x => x);
      if (!w.f && busy && s.B.freeze) add(`W${wi} freezes`, 1, t => { t.B.freeze--; t.G.f++; t.W[wi].f = 1; t.W[wi].S.forEach(x => { if (x) t.G.real[x.p]++; }); });
      if (w.f) add(`W${wi} thaws`, 0, t => { t.W[wi].f = 0; t.W[wi].S.forEach(x => { if (x) x.z = 1; }); });
      const die = t => { const x = t.W[wi]; x.S.forEach(y => { if (y) t.G.real[y.p]++; }); t.G.f++; x.b++; x.f = 0; x.S = x.S.map(() => null); };
      if (busy && s.B.crash) add(`W${wi} crashes`, 1, t => { t.B.crash--; die(t); });
      if (w.f) return;
      w.S.forEach((sl, k) => {
        if (!sl) return;
        const S = (t) => t.W[wi].S[k];
        const d = s.P[sl.p], kinds = L[sl.p], m = sl.cur + sl.n;
        const name = `W${wi}/${sl.p}`;
        if (cfg.poison === sl.p && sl.pc === 'called') { add(`${name} poison kills W${wi}`, 0, t => { t.G.dead[sl.p]++; die(t); if (t.G.dead[sl.p] > LIMIT + ((cfg.budget && cfg.budget.wipe || 0) - t.B.wipe)) bad(t, `poison play killed ${t.G.dead[sl.p]} workers`); }); }
        const poisoned = cfg.poison === sl.p && sl.pc === 'called';
        const drop = lab => add(`${name} ${lab}`, 0, t => endJob(t, wi, k));
        // a refused write leads here: read again and decide
        const write = (label, fn) => add(`${name} ${label}`, 0, t => { const x = S(t); if (match(t, x, id)) fn(t, x, t.P[x.p]); else x.pc = 'reread'; });
        const writeUnowned = (label, fn) => add(`${name} ${label}`, 0, t => { const x = S(t); if (match(t, x, id) && !(F.lazyUnowned && t.P[x.p].own)) fn(t, x, t.P[x.p]); else x.pc = 'reread'; });
        // finished results that are not stored yet ride on the lazy write, as on a boundary write
        const lazy = (t, x, d) => { const k = x.n + 1; applyResults(d, x); move(t, x.p, 'RUN', 'worker'); own(x, d); events(t, x, d, id, k); snap(x, d); x.n = 0; x.pe = 0; };
        const lazyInCall = (t, x, d) => { if (d.st === 'ON_HOLD') { d.hd = 'RUN'; own(x, d); events(t, x, d, id, 1); x.sq = d.sq; return; } lazy(t, x, d); };
        const startOf = x => id * 10 + x.e;
        const own = (x, d) => { d.own = id; x.L = 1; x.z = 0; d.beat = 'n'; d.str = 0; };
        // handed out before, and it may have run unclaimed
        const uncounted = (x, d) => x.a > 1 && F.countRedelivery && d.own === 0 && !(F.strictNoCount && d.str) && !(F.crashedClaims && d.cr);
        const giveUp = (t, x, d) => { d.own = 0; if (F.giveUpRaises) d.ep++; };
        if (sl.pc === 'got') {
          add(`${name} reads`, 0, t => {
            const x = S(t), q = t.P[x.p];
            if (!q.x || q.ep !== x.e || FINAL[q.st] || q.st === 'ON_HOLD' || q.st === 'WAIT' || (q.st === 'DEFERRED') || (F.ownerCheck && q.own)) { x.pc = 'drop'; return; }
            snap(x, q); x.n = 0; x.pe = 0;
            x.sus = x.a > 1 || q.cr > 0 ? 1 : 0; x.sc = q.cr + (uncounted(x, q) ? 1 : 0); x.c0 = q.cur;
            x.pc = F.strict && (q.str || x.a > 1 || (F.crashedClaims && q.cr) || (F.staleProof && x.z)) ? 'claim' : 'run';
          });
        } else if (sl.pc === 'drop') drop('drops job');
        else if (sl.pc === 'claim') {
          if (s.B.hb) add(`${name} SIGTERM, hands back before its claim`, 1, t => { t.B.hb--; const x = S(t), d = t.P[x.p]; if (!match(t, x, id)) { x.pc = 'reread'; x.pcb = 'claim'; return; } if (d.st !== 'ON_HOLD' && !d.own) { if (F.handBackCounts && uncounted(x, d)) d.cr++; d.ep++; d.beat = 'n'; ring(t, x.p); } x.pc = 'drop'; });
          if (F.isolateSuspects && sl.sus) {
            const inside = w.S.filter((x, i) => i !== k && x && x.sus && x.cur === x.c0 && !['got', 'drop', 'claim'].includes(x.pc)).map(x => x.sc);
            const last = F.lastAlone && [...inside, sl.sc].some(c => c >= LIMIT - 1);
            if (inside.length && (last || inside.length >= LANES)) { add(`${name} gives its job back`, 0, t => { const x = S(t); t.J.forEach(j => { if (j.p === x.p && j.e === x.je && j.w === id) j.w = 0; }); t.W[wi].S[k] = null; }); return; }
          }
          writeUnowned('claims', (t, x, d) => {
            const died = uncounted(x, d);
            if (died) d.cr++;
            if (died && d.cr >= LIMIT) { crashFail(t, x.p); move(t, x.p, 'FAIL', 'worker'); d.ep++; d.own = 0; d.beat = '-'; events(t, x, d, id, 1); x.pc = 'drop'; return; }
            move(t, x.p, 'RUN', 'worker'); own(x, d); if (kinds[d.cur] === 'o' && !d.sta) d.sta = startOf(x); events(t, x, d, id, 1); snap(x, d); x.pc = 'run';
          });
          { const t = out[out.length - 1][2]; const x = S(t); if (F.reclaim && x && x.pc === 'reread') x.pcb = 'claim'; }
        } else if (sl.pc === 'reread') {
          add(`${name} refused, reads again`, 0, t => {
            const x = S(t), q = t.P[x.p];
            const mine = x.L ? q.own === id : (q.own === 0 || !F.ownerCheck);
            if (q.ep !== x.e || FINAL[q.st] || !mine || q.cur !== x.cur) { x.pc = 'drop'; return; }
            const n = x.n; snap(x, q); x.n = n; if (!F.readProvesNothing && x.L) x.z = 0;
            x.h = q.st === 'ON_HOLD' ? 1 : 0; x.pc = x.pcb === 'called' ? 'called' : x.pcb === 'claim' && q.st === 'ON_HOLD' ? 'drop' : q.st === 'ON_HOLD' ? (x.pcb === 'failed' ? 'failed' : 'hold') : x.pcb || 'run'; delete x.pcb;
          });
        } else if (sl.pc === 'hold') {
          write('records under hold, stops', (t, x, d) => { if (d.st !== 'ON_HOLD') { x.pc = 'run'; return; } applyResults(d, x); d.hd = 'RUN'; d.str = 0; if (!F.keepForeignStart || d.sta === startOf(x)) d.sta = 0; giveUp(t, x, d); events(t, x, d, id, x.n); x.pc = 'drop'; });
        } else if (sl.pc === 'called') {
          if (poisoned) { if (!sl.L) writeUnowned('lazy RUN+lease', lazyInCall); return; }
          add(`${name} call ${m} ends`, 0, t => { const x = S(t); x.n++; x.pe = 1; x.pc = x.h ? 'hold' : 'run'; if (!F.publishAfter) publish(t, x.p, x.sq + x.n, `${id}:${x.e}:${x.sq + x.n}`); });
          if (s.B.fail) add(`${name} call ${m} fails`, 0, t => { t.B.fail--; const x = S(t); x.pc = 'failed'; });
          if (!sl.L) writeUnowned('lazy RUN+lease', lazyInCall);
          if (!sl.L) { const t = out[out.length - 1][2]; const x = S(t); if (x && x.pc === 'reread') { x.pcb = 'called'; } }
          if (s.B.hb) add(`${name} SIGTERM, grace over in call`, 1, t => { t.B.hb--; t.G.f++; const x = S(t), d = t.P[x.p]; if (match(t, x, id) && d.st !== 'ON_HOLD') { applyResults(d, x); if (d.cur && d.st === 'NEW') move(t, x.p, 'RUN', 'worker'); d.own = 0; d.ep++; d.beat = 'n'; ring(t, x.p); } x.pc = 'drop'; });
        } else if (sl.pc === 'failed') {
          write('final FAIL', (t, x, d) => { applyResults(d, x); move(t, x.p, 'FAIL', 'worker'); d.why = 'layer'; d.own = 0; d.beat = '-'; events(t, x, d, id, 1); x.pc = 'drop'; });
          { const t = out[out.length - 1][2]; const x = S(t); if (x && x.pc === 'reread') x.pcb = 'failed'; }
        } else if (sl.pc === 'run') {
          if (s.B.hb) add(`${name} SIGTERM, hands back`, 1, t => { t.B.hb--; const x = S(t), d = t.P[x.p]; if (F.handBackRereads && !match(t, x, id)) { x.pc = 'reread'; return; } if (match(t, x, id) && d.st !== 'ON_HOLD') { applyResults(d, x); if (F.handBackForgets && d.sta === startOf(x)) d.sta = 0; if (d.cur && d.st === 'NEW') move(t, x.p, 'RUN', 'worker'); d.own = 0; d.ep++; d.beat = 'n'; ring(t, x.p); } x.pc = 'drop'; });
          if (m >= kinds.length) { write('final DONE', (t, x, d) => { applyResults(d, x); move(t, x.p, 'DONE', 'worker'); d.own = 0; d.beat = '-'; events(t, x, d, id, x.n + 1); x.pc = 'drop'; }); return; }
          const kind = kinds[m];
          if (!sl.L) writeUnowned('lazy RUN+lease', lazy);
          if (kind === 'p') add(`${name} computes ${m}`, 0, t => { const x = S(t); x.n++; if (!F.publishAfter) publish(t, x.p, x.sq + x.n, `${id}:${x.e}:${x.sq + x.n}`); });
          else if (kind === 'e' || kind === 'o') {
            if (sl.pe) write('boundary write', (t, x, d) => { applyResults(d, x); move(t, x.p, 'RUN', 'worker'); own(x, d); events(t, x, d, id, x.n); snap(x, d); x.n = 0; x.pe = 0; });
            else if (kind === 'o' && sl.sta && sl.sta !== startOf(sl)) write('interrupted: final FAIL', (t, x, d) => { move(t, x.p, 'FAIL', 'worker'); d.why = 'interrupted'; d.own = 0; d.beat = '-'; events(t, x, d, id, 1); x.pc = 'drop'; });
            else if (kind === 'o' && !sl.sta) write('records start', (t, x, d) => { applyResults(d, x); move(t, x.p, 'RUN', 'worker'); own(x, d); d.sta = startOf(x); events(t, x, d, id, x.n + 1); snap(x, d); x.n = 0; });
            else if (F.staleProof && sl.z) { if (sl.L) add(`${name} proves lease`, 0, t => { const x = S(t), d = t.P[x.p]; if (d.ep === x.e && d.own === id && !FINAL[d.st]) { d.beat = 'n'; x.z = 0; } else x.pc = 'drop'; }); }
            else add(`${name} CALLS ${m}`, 0, t => { const x = S(t); checkCall(t, x, m, id); x.pc = 'called'; });
          } else if (kind === 'w') {
            if (sl.inb) add(`${name} consumes resume ${m}`, 0, t => { const x = S(t); x.n++; });
            else write('WAIT', (t, x, d) => { applyResults(d, x); move(t, x.p, 'WAIT', 'worker'); d.beat = '-'; giveUp(t, x, d); events(t, x, d, id, x.n + 1); x.pc = 'drop'; });
          } else if (kind === 'd') write('DEFERRED', (t, x, d) => { x.n++; applyResults(d, x); move(t, x.p, 'DEFERRED', 'worker'); d.beat = '-'; giveUp(t, x, d); events(t, x, d, id, 1); x.pc = 'drop'; });
        }
        if (sl.L && d.own === id && d.ep === sl.e && d.beat === 'o') add(`${name} renews`, 0, t => { t.P[sl.p].beat = 'n'; S(t).z = 0; });
      });
    });
    // ---- time
    s.P.forEach((d, p) => {
      if (!d.x || d.beat !== 'n' || FINAL[d.st]) return;
      if (!d.own) {
        if (s.Q.some(q => q.p === p && q.e === d.ep && !q.f)) return;
        if (healthySlot(s, p, x => !x.L && x.pc !== 'drop')) return;
        add(`T passes for ${p}`, 0, t => { t.P[p].beat = 'o'; });
      } else {
        const alive = healthySlot(s, p, (x, wi) => x.L && idOf(s, wi) === d.own && x.pc !== 'drop');
        if (!alive) add(`lease of ${p} expires`, 0, t => { t.P[p].beat = 'o'; });
        else if (s.B.slow) add(`lease of ${p} expires, owner slow`, 1, t => { t.B.slow--; t.P[p].beat = 'o'; t.W.forEach((w, wi) => w.S.forEach(x => { if (x && x.p === p && x.L && idOf(t, wi) === t.P[p].own) x.z = 1; })); });
      }
    });
    // ---- reconcilers
    s.R.forEach((r, ri) => {
      if (ri > 0 && !s.R[ri - 1] && !r) { /* symmetry: an idle later replica acts only if the earlier ones are busy */ return; }
      if (!r) {
        s.P.forEach((d, p) => {
          if (!d.x || FINAL[d.st]) return;
          if (d.st === 'DEFERRED') add(`C${ri} due ${p}`, 0, t => { const q = t.P[p]; move(t, p, 'RUN', 'reconcile'); q.ep++; q.sq++; publish(t, p, q.sq, 'rec'); q.beat = 'n'; ring(t, p); });
          if (d.beat !== 'o' || (d.st !== 'NEW' && d.st !== 'RUN')) return;
          if (!d.own) { if (!liveJob(s, p, d.ep)) add(`C${ri} finds ${p}-${d.ep} without job`, 0, t => { t.R[ri] = { p, e: d.ep, sq: d.sq, k: F.twoLooks ? 1 : 2 }; t.W.forEach(w => w.S.forEach(x => { if (x && x.p === p) x.lk = 1; })); }); }
          else add(`C${ri} finds expired lease of ${p}`, 0, t => { t.R[ri] = { p, e: d.ep, own: d.own, k: 3 }; });
        });
        return;
      }
      const p = r.p, d = s.P[p];
      const same = d.ep === r.e && (r.k === 3 || d.sq === r.sq) && !FINAL[d.st];
      if (r.k === 1) {
        if (healthySlot(s, p, x => x.lk && !x.L && x.pc !== 'drop')) return;
        add(`C${ri} looks again at ${p}`, 0, t => { if (same && !d.own && d.beat === 'o' && !liveJob(s, p, d.ep)) t.R[ri].k = 2; else t.R[ri] = null; });
      } else if (r.k === 2) add(`C${ri} raises ${p}`, 0, t => {
        t.R[ri] = null; const q = t.P[p];
        if (!same || q.own || (q.st !== 'NEW' && q.st !== 'RUN')) return;
        if (!F.raiseIsNoCrash && ++q.cr >= LIMIT) { crashFail(t, p); move(t, p, 'FAIL', 'reconcile'); q.ep++; q.beat = '-'; return; }
        q.ep++; q.str = 1; q.beat = F.raiseTouchesBeat ? 'n' : '-'; ring(t, p);
      });
      else add(`C${ri} reaps ${p}`, 0, t => {
        t.R[ri] = null; const q = t.P[p];
        if (!same || q.own !== r.own || (q.st !== 'RUN' && q.st !== 'NEW') || (F.reapExact && q.beat !== 'o')) return;
        const alive = healthySlot(t, p, (x, wi) => x.L && idOf(t, wi) === q.own && x.pc !== 'drop');
        if (alive && q.beat === 'n') bad(t, `live lease of play ${p} reaped right after it was renewed`);
        if (alive) { t.G.f++; t.G.real[p]++; }
        q.cr++; q.own = 0; q.ep++;
        if (q.cr >= LIMIT) { crashFail(t, p); move(t, p, 'FAIL', 'reconcile'); q.beat = '-'; q.sq++; publish(t, p, q.sq, 'rec'); return; }
        q.str = 1; q.beat = F.raiseTouchesBeat ? 'n' : '-'; ring(t, p);
      });
    });
    // ---- user commands
    const B = s.B;
    s.P.forEach((d, p) => {
      if (!d.x) return;
      const ev = (t, q) => { q.sq++; publish(t, p, q.sq, 'cmd'); };
      if (B.hold && !FINAL[d.st] && d.st !== 'ON_HOLD') add(`hold ${p}`, 0, t => { t.B.hold--; const q = t.P[p]; q.hd = q.st; move(t, p, 'ON_HOLD', 'hold'); ev(t, q); if (!F.holdKeepsEpoch) { q.ep++; q.own = 0; } });
      if (B.release && d.st === 'ON_HOLD' && !(F.releaseWaits && !d.own && healthySlot(s, p, x => !x.L && !['drop', 'claim'].includes(x.pc)))) add(`release ${p}`, 0, t => {
        t.B.release--; const q = t.P[p]; let to = q.hd; if (to === 'NEW' && q.own) to = 'RUN'; move(t, p, to, 'release'); q.hd = ''; ev(t, q);
        if (!F.pinHeldRelease) { q.ep++; q.own = 0; }
        if (!q.own && (to === 'NEW' || to === 'RUN')) { if (F.releaseRaises && F.pinHeldRelease) q.ep++; q.beat = 'n'; ring(t, p); }
      });
      if (B.cancel && !FINAL[d.st]) add(`cancel ${p}`, 0, t => { t.B.cancel--; const q = t.P[p]; move(t, p, 'FAIL', 'cancel'); q.why = 'cancelled'; q.hd = ''; q.own = 0; q.beat = '-'; if (F.cancelRaises) q.ep++; ev(t, q); });
      const wi = L[p].indexOf('w');
      if (B.resume && wi >= 0 && !FINAL[d.st] && d.cur <= wi && !d.inb && (F.inbox || true)) {
        const waiting = d.st === 'WAIT' || (d.st === 'ON_HOLD' && d.hd === 'WAIT');
        if (waiting || F.inbox) add(`resume ${p}`, 0, t => { t.B.resume--; const q = t.P[p]; q.inb = 1; ev(t, q); if (q.st === 'WAIT') { move(t, p, 'RUN', 'resume'); q.ep++; q.beat = 'n'; ring(t, p); } else if (waiting) { q.hd = 'RUN'; q.ep++; } });
        else add(`resume ${p} refused 409`, 0, t => { t.B.resume--; t.G.lostResume = 1; });
      }
      if (B.retry && d.st === 'FAIL' && !(F.retryWaits && s.W.some(w => !w.f && w.S.some(x => x && x.p === p && !x.z && ['got', 'run', 'claim', 'reread'].includes(x.pc))))) {
        const k = keyOf(p); const taken = k && s.P.some((q, i) => i !== p && q.x && q.key === k);
        if (!(F.retryTakesKey && taken)) add(`retry ${p}`, 0, t => { t.B.retry--; t.G.retr[p]++; const q = t.P[p]; move(t, p, 'RUN', 'retry'); q.why = ''; if (F.retryTakesKey || !taken) q.key = k; q.ep++; q.cr = 0; q.sta = 0; q.own = 0; q.str = 0; q.beat = 'n'; ev(t, q); ring(t, p); t.G.real[p] = 0; });
      }
    });
    return out;
  }
  function good(s) { // nothing accepted is stuck: final or declared waiting
    if (s.G.lostResume && s.P.some(d => d.st === 'WAIT')) return false;
    return s.P.every(d => !d.x || FINAL[d.st] || d.st === 'WAIT' || d.st === 'ON_HOLD');
  }
  return { init, succ, good, F };
}

function hash(str) { let a = 0xdeadbeef, b = 0x41c6ce57; for (let i = 0; i < str.length; i++) { const c = str.charCodeAt(i); a = Math.imul(a ^ c, 2654435761); b = Math.imul(b ^ c, 1597334677); } a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909); b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909); return 4294967296 * (2097151 & b) + (a >>> 0); }

// exhaustive BFS; liveness: from every state a good state is reachable without further faults
function bfs(cfg, fix, opt = {}) {
  const M = make(cfg, fix), max = opt.max || 3e6, t0 = Date.now();
  const ids = new Map(), states = [], par = [], lab = [], pred = [], goodIds = [];
  const push = (t, from, l) => { const h = hash(JSON.stringify(t)); let i = ids.get(h); if (i === undefined) { i = states.length; ids.set(h, i); states.push(JSON.stringify(t)); par.push(from); lab.push(l); pred.push(null); if (M.good(t)) goodIds.push(i); } return i; };
  const trace = i => { const tr = []; while (i > 0) { tr.push(lab[i]); i = par[i]; } return tr.reverse(); };
  push(M.init(), -1, ''); let edges = 0, complete = true;
  for (let i = 0; i < states.length; i++) {
    if (states.length > max || (opt.ms && Date.now() - t0 > opt.ms)) { complete = false; break; }
    const s = JSON.parse(states[i]); if (!opt.live) states[i] = null; else states[i] = 0;
    for (const [l, fault, t] of M.succ(s)) {
      edges++;
      if (t.bad) return { violation: t.bad, trace: [...trace(i), l], states: states.length, complete };
      const j = push(t, i, l);
      if (opt.live && !fault && j !== i) { if (!pred[j]) pred[j] = [i]; else pred[j].push(i); }
    }
  }
  if (opt.live && complete) {
    const ok = new Uint8Array(states.length), q = [...goodIds]; q.forEach(i => ok[i] = 1);
    while (q.length) { const i = q.pop(); if (pred[i]) for (const j of pred[i]) if (!ok[j]) { ok[j] = 1; q.push(j); } }
    for (let i = 0; i < states.length; i++) if (!ok[i]) return { violation: 'stuck: no good state reachable without faults', trace: trace(i), states: states.length, complete };
  }
  return { states: states.length, edges, complete, s: ((Date.now() - t0) / 1000).toFixed(1) };
}
// random walks: faults with some probability, then faults stop and a fair random scheduler must reach a good state
function walks(cfg, fix, n, opt = {}) {
  const M = make(cfg, fix); let seed = opt.seed || 1, steps = 0; const t0 = Date.now();
  const rnd = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return ((seed >>> 8) & 0xffffff) / 16777216; };
  let i = 0;
  for (; i < n; i++) {
    if (opt.ms && Date.now() - t0 > opt.ms) break;
    let s = M.init(); const tr = []; const len = opt.len || 120;
    for (let k = 0; k < len; k++) {
      const o = M.succ(s); if (!o.length) break;
      let c = o; if (rnd() > 0.15) { const q = o.filter(x => !x[1]); if (q.length) c = q; }
      const [l, , t] = c[Math.floor(rnd() * c.length)]; tr.push(l); steps++;
      if (t.bad) return { violation: t.bad, trace: tr, walk: i, steps };
      s = t;
    }
    let k = 0; for (; k < 3000; k++) {
      if (s.P.every(d => d.x) && M.good(s)) break;
      if (M.good(s) && !M.succ(s).some(x => x[0].startsWith('accept'))) break;
      const o = M.succ(s).filter(x => !x[1] && !/^(hold|cancel|retry)/.test(x[0])); if (!o.length) break;
      const [l, , t] = o[Math.floor(rnd() * o.length)]; tr.push('~' + l); steps++;
      if (t.bad) return { violation: t.bad, trace: tr, walk: i, steps };
      s = t;
    }
    if (!M.good(s)) return { violation: 'stuck after faults stopped: ' + JSON.stringify(s.P), trace: tr.slice(-60), walk: i, steps };
  }
  return { walks: i, steps, s: ((Date.now() - t0) / 1000).toFixed(1) };
}
module.exports = { FIX, make, bfs, walks };
