'use strict';
// The window per company (protocol 12): one company, MongoDB's plays, Redis' cache of what is rung, and who changes them.
// A play that is due (delayed, or to go on after a pause) is 'Z' in MongoDB until it has a place, then 'U' (RUN): a place first, then
// the write, then the ring.
// Who waited in order when Redis was wiped is rung by the window that begins anew, never beside it.
// One step = one atomic action. Exhaustive; liveness: from every state all accepted plays can end without further faults.
//   node window.cjs [FIX switch to remove]
const FIX = {
  keeperSeesAll: true,  // the reconciler refills every company that has waiting plays in MongoDB, not only those that Redis lists
  refusedMark: true,    // (belt and braces) `waiting` is cleared only if nobody was refused since the refill began
  lookBehindCursor: true,// NEW plays up to the cursor without a job are raised
  looksAtMembers: true, // and so are NEW plays that count as rung, wherever the cursor is
  rewindTakesOut: true, // beginning anew takes the plays whose job is gone out of the window first
  repairs: true,        // the reconciler takes ended members out
  lanesMarked: true,    // (against starvation by a backlog that never ends) a play with a priority that nobody counted is noted by the reconciler
  anewByCache: true,    // a window begins anew for a lost play that its cache does not know, however few of them a page shows
  knowsFrom: true,      // a cache that was begun by an admission knows nothing of older plays
  dueTakesPlace: true,  // a play that is due goes on only with a place in the window
  dueWaits: true,       // (against starvation by new plays that never end) and no new play takes the room that it waits for
  repairsDue: true,     // (belt and braces: they go on with the place that they have) members that did not go on are taken out
  dueFound: true,       // who is due is found in MongoDB by each pass, whatever Redis says
  refillOnlyWaiting: true,// a refill that finds nobody waiting ends: beside it, plays are admitted at once
};
function make(cfg, off) {
  const F = { ...FIX, ...off }, N = cfg.plays, W = cfg.window, pr = p => (cfg.prio ? cfg.prio[p] : 0);
  const init = () => ({
    P: Array.from({ length: N }, () => ({ st: '-', ep: 1 })), A: Array(N).fill(0), // api: 0 - 1 inserted, 2 must ring, 3 must list, 4 done
    R: { mem: [], cur: 0, from: 0, ex: 0, wait: 0, ref: 0, list: 0, raise: 0, lock: 0, lanes: 0, due: 0 }, J: [], K: Array(cfg.workers).fill(null), E: [null, null], C: null, D: null,
    B: { ...cfg.budget }, wiped: 0, alone: [], waited: [],
  });
  const isDue = p => (cfg.due ? cfg.due.includes(p) : false), open = q => q.st === 'N' || q.st === 'U';
  const clone = s => JSON.parse(JSON.stringify(s));
  const ring = (t, p, e) => { if (!t.J.some(j => j[0] === p && j[1] === e)) { t.J.push([p, e, 0]); t.J.sort(); } };
  const hasJob = (s, p) => s.J.some(j => j[0] === p && j[1] === s.P[p].ep);
  const bad = (t, m) => { t.bad ??= m; };
  function succ(s) {
    const out = []; const add = (l, fault, fn) => { const t = clone(s); fn(t); if (t.R.mem.filter(p => !t.alone.includes(p)).length > W) bad(t, `${t.R.mem.length} plays in a window of ${W}`); out.push([l, fault, t]); };
    const half = r => r.mem.length * 2 < W && r.wait + r.due > 0;
    s.A.forEach((pc, p) => {
      const die = () => { if (s.B.crash) add(`api dies with ${p}`, 1, t => { t.B.crash--; t.A[p] = 4; }); };
      // two replicas: ids may be stored one out of order
      if (pc === 0 && (p < 2 || s.A[p - 2])) add(`insert ${p}`, 0, t => { t.P[p].st = isDue(p) ? 'Z' : 'N'; t.A[p] = isDue(p) ? 4 : 1; });
      if (pc === 1) { die(); add(`admit ${p}`, 0, t => { const r = t.R; if (!r.ex) { r.ex = 1; r.from = F.knowsFrom ? t.P.findLastIndex(q => q.st !== '-') + 1 : 0; } if (!r.wait && !(F.dueWaits && r.due) && r.mem.length < W) { if (!r.mem.includes(p)) r.mem.push(p), r.mem.sort(); if (!pr(p)) r.cur = Math.max(r.cur, p + 1); t.A[p] = 2; } else { r.wait++; r.ref++; if (pr(p)) r.lanes = 1; t.A[p] = 3; } }); }
      if (pc === 2) { die(); add(`ring ${p}`, 0, t => { ring(t, p, 1); t.A[p] = 4; }); }
      if (pc === 3) { die(); add(`list ${p}`, 0, t => { t.R.list = 1; t.A[p] = 4; }); }
    });
    if (s.B.wipe && !s.wiped) add('Redis wiped', 1, t => { t.B.wipe--; t.wiped = 1; t.waited = t.P.map((_, p) => p).filter(p => t.P[p].st === 'N' && t.P[p].ep === 1 && t.A[p] === 4 && p >= t.R.cur && !t.R.mem.includes(p)); t.J = []; t.R = { mem: [], cur: 0, from: 0, ex: 0, wait: 0, ref: 0, list: 0, raise: 0, lock: 0, lanes: 0, due: 0 }; });
    s.K.forEach((k, i) => {
      if (!k) { s.J.forEach((j, ji) => { if (!j[2]) add(`W${i} takes ${j[0]}-${j[1]}`, 0, t => { t.J[ji][2] = i + 1; t.K[i] = { p: j[0], e: j[1], pc: 'run' }; }); }); return; }
      const over = t => { t.J = t.J.filter(j => !(j[2] === i + 1)); t.K[i] = null; };
      if (s.B.crash) add(`W${i} dies`, 1, t => { t.B.crash--; t.J.forEach(j => { if (j[2] === i + 1) j[2] = 0; }); t.K[i] = null; });
      if (k.pc === 'run') add(`W${i} ends ${k.p}`, 0, t => { const q = t.P[k.p]; if (open(q) && q.ep === k.e) { q.st = 'D'; t.K[i].pc = 'finish'; } else over(t); });
      if (k.pc === 'finish') add(`W${i} takes ${k.p} out`, 0, t => { t.R.mem = t.R.mem.filter(x => x !== k.p); if (half(t.R) && !t.E[0]) t.E[0] = { pc: 'begin' }; over(t); });
    });
    // refills: 0 a worker's, 1 the reconciler's
    s.E.forEach((e, i) => {
      if (!e) return; const tok = i + 1;
      if (s.B.crash) add(`refiller ${i} dies`, 1, t => { t.B.crash--; t.E[i] = null; if (t.R.lock === tok) t.R.lock = 0; });
      if (e.pc === 'begin') add(`refiller ${i} begins`, 0, t => { if (t.R.lock) { t.E[i] = null; return; } if (F.refillOnlyWaiting && !t.R.wait && !t.R.due) { t.R.list = 0; t.E[i] = null; return; } t.R.lock = tok; t.E[i] = { pc: t.R.due ? 'due' : 'find', wait: t.R.wait ? 1 : 0, room: Math.max(0, W - t.R.mem.length), cur: t.R.cur, ref: t.R.ref, raise: t.R.raise, lanes: t.R.lanes || t.R.raise ? 1 : 0 }; });
      const finds = x => ({ ...x, pc: 'find', d: undefined });
      if (e.pc === 'due') add(`refiller ${i} takes due plays up`, 0, t => { const r = t.R, z = t.P.map((q, p) => p).filter(p => t.P[p].st === 'Z'), d = z.filter(p => r.mem.includes(p)), w = z.filter(p => !d.includes(p)), n = w.slice(0, r.lock !== tok ? 0 : Math.min(e.wait ? Math.ceil(e.room / 2) : e.room, W - r.mem.length)); r.mem.push(...n); r.mem.sort(); r.due = w.length > n.length ? 1 : 0; t.E[i] = { ...e, pc: 'go', d: [...d, ...n], room: Math.max(0, e.room - n.length) }; });
      if (e.pc === 'go') add(`refiller ${i} has due plays go on`, 0, t => { for (const p of e.d) if (t.P[p].st === 'Z') { t.P[p].st = 'U'; t.P[p].ep++; } t.E[i] = { ...e, pc: 'tell' }; });
      if (e.pc === 'tell') add(`refiller ${i} rings for due plays`, 0, t => { for (const p of e.d) if (t.P[p].st === 'U') ring(t, p, t.P[p].ep); t.E[i] = e.wait ? finds(e) : { ...finds(e), pc: 'end', n: [], done: 1 }; });
      if (e.pc === 'find') add(`refiller ${i} finds`, 0, t => { const n = []; let all = 0;
        // plays with a higher priority first, wherever the cursor is; those with a lower one when no other waits
        const look = (from, lane) => { for (let p = from; p < N; p++) if (Math.sign(pr(p)) === lane && t.P[p].st === 'N' && !t.R.mem.includes(p)) { if (n.length < e.room) n.push(p); else all = 1; } };
        if (e.lanes) look(0, 1); look(Math.max(0, e.cur - 1), 0); if (e.lanes && !all && n.length < e.room) look(0, -1); else if (e.lanes) all = 1;
        t.E[i] = { ...e, pc: 'end', n, done: e.room > 0 && !all && n.length < e.room ? 1 : 0 }; });
      if (e.pc === 'end') add(`refiller ${i} ends`, 0, t => { const r = t.R; if (r.lock !== tok) { t.E[i] = null; return; } r.lock = 0; let a = 0; for (const p of e.n) { if (!r.mem.includes(p)) { r.mem.push(p); a++; } if (!pr(p)) r.cur = Math.max(r.cur, p + 1); } r.mem.sort(); r.wait = Math.max(0, r.wait - a); if (e.done && (!F.refusedMark || r.ref === e.ref)) { r.wait = 0; r.raise = 0; r.list = 0; r.lanes = 0; } else if (!r.wait) r.wait = 1; if (r.due) r.list = 1; t.E[i] = e.n.length ? { pc: 'ring', n: e.n, raise: e.raise } : null; });
      if (e.pc === 'ring') add(`refiller ${i} rings`, 0, t => { for (const p of e.n) { const q = t.P[p]; if (q.st !== 'N') continue; if (p < e.raise) q.ep++; ring(t, p, q.ep); } t.E[i] = null; });
    });
    // reconciler
    const c = s.C;
    const busy = p => (s.A[p] !== 4 && s.A[p] !== 0) || s.E.some(e => e && ((e.n && e.n.includes(p)) || (e.d && e.d.includes(p)))) || (s.D && s.D.p === p) || s.K.some(k => k && k.p === p && k.e === s.P[p].ep);
    // the pass over what is due: of one play at a time
    if (!s.D) s.P.forEach((q, p) => { if (q.st === 'Z' && (F.dueFound || s.R.due)) add(`due pass takes ${p} up`, 0, t => { const r = t.R; if (!F.dueTakesPlace || r.mem.includes(p)) t.D = { pc: 'go', p }; else if (!r.wait && !r.due && r.mem.length < W) { r.mem.push(p); r.mem.sort(); t.D = { pc: 'go', p }; } else { r.due = 1; r.list = 1; } }); });
    else {
      if (s.B.crash) add('due pass dies', 1, t => { t.B.crash--; t.D = null; });
      if (s.D.pc === 'go') add(`due pass has ${s.D.p} go on`, 0, t => { const q = t.P[t.D.p]; if (q.st !== 'Z') { t.D = null; return; } q.st = 'U'; q.ep++; t.D.pc = 'ring'; if (!t.R.mem.includes(t.D.p) && !t.wiped) { t.rung = 1; bad(t, `play ${t.D.p} goes on without a place`); } });
      else add(`due pass rings ${s.D.p}`, 0, t => { ring(t, t.D.p, t.P[t.D.p].ep); t.D = null; });
    }
    if (c === null) {
      const waits = s.P.some((q, p) => q.st === 'N' && (pr(p) || p >= s.R.cur)) && s.R.wait;
      const inLane = s.P.some((q, p) => pr(p) && q.st === 'N' && !s.R.mem.includes(p) && !busy(p)) && s.R.wait;
      if (F.lanesMarked && inLane && !s.R.lanes && !s.R.raise) add('reconciler notes the lanes', 0, t => { t.R.lanes = 1; t.R.ref++; });
      const sees = s.R.list || (F.keeperSeesAll && waits);
      if (sees && !s.E[1]) add('reconciler refills', 0, t => { t.E[1] = { pc: 'begin' }; });
      const over = p => s.P[p].st === 'D' || (F.repairsDue && s.P[p].st === 'Z' && !busy(p));
      if ((sees || s.R.due) && F.repairs && s.R.mem.some(over)) add('reconciler repairs', 0, t => { t.R.mem = t.R.mem.filter(p => !over(p)); });
      const lost = s.P.map((q, p) => p).filter(p => open(s.P[p]) && !hasJob(s, p) && !busy(p) && (s.P[p].st === 'U' || !s.R.wait || (F.lookBehindCursor && !pr(p) && p < s.R.cur) || (F.looksAtMembers && s.R.mem.includes(p))));
      // what the cache says of it: rung, or passed by the cursor since the cache was begun; or rung once under an epoch of its own
      const known = p => s.R.mem.includes(p) || s.P[p].ep > 1 || (!pr(p) && p < s.R.cur && p >= s.R.from);
      const unknown = lost.filter(p => !known(p));
      const anew = F.anewByCache ? unknown.length > 0 : lost.slice(0, 1).length * 2 > W; // the rule that counted saw one page
      if (anew && !s.R.lock && !s.E[1]) add('reconciler begins anew', 0, t => { const r = t.R, o = F.anewByCache ? unknown[0] : lost[0]; if (!pr(o)) { r.cur = r.ex && r.cur ? Math.min(r.cur, o) : o; r.from = r.ex ? Math.min(r.from, o) : o; } r.ex = 1; r.wait = Math.max(r.wait, 1); r.raise = N; r.ref++; r.list = 1; r.lanes = 1; if (F.rewindTakesOut) r.mem = r.mem.filter(p => !unknown.includes(p)); t.E[1] = { pc: 'begin' }; });
      if (!anew || !F.anewByCache) for (const p of lost) if (!F.anewByCache || known(p)) add(`reconciler raises ${p}`, 0, t => { t.P[p].ep++; if (!t.R.mem.includes(p)) { t.R.mem.push(p); t.R.mem.sort(); if (known(p)) t.alone.push(p); if (t.waited.includes(p)) bad(t, `play ${p} waited and is rung beside the window`); } t.C = p; });
    } else { add(`reconciler rings ${c}`, 0, t => { ring(t, c, t.P[c].ep); t.C = null; }); if (s.B.crash) add('reconciler dies', 1, t => { t.B.crash--; t.C = null; }); }
    return out;
  }
  const good = s => s.A.every(a => a) && s.P.every(q => q.st === 'D');
  const norm = s => { s.P.forEach((q, p) => { if (q.st === 'D') q.ep = 0; else if (q.ep > 4) q.ep = 4; }); s.R.ref = Math.min(s.R.ref, 9); s.R.wait = Math.min(s.R.wait, N); return s; };
  return { init, succ, good, norm };
}
function bfs(cfg, off, max = 1.5e6) {
  const M = make(cfg, off), ids = new Map(), S = [], par = [], lab = [], pred = [];
  const push = (t, f, l) => { const k = JSON.stringify(M.norm(t)); let i = ids.get(k); if (i === undefined) { i = S.length; ids.set(k, i); S.push(k); par.push(f); lab.push(l); pred.push([]); } return i; };
  const trace = i => { const r = []; while (i > 0) { r.push(lab[i]); i = par[i]; } return r.reverse().join(' | '); };
  push(M.init(), -1, ''); const goods = [];
  for (let i = 0; i < S.length && i < max; i++) { const s = JSON.parse(S[i]); if (M.good(s)) goods.push(i); for (const [l, fault, t] of M.succ(s)) { if (t.bad) return `VIOLATION ${t.bad}\n   ${trace(i)} | ${l}`; const j = push(t, i, l); if (!fault && j !== i) pred[j].push(i); } }
  if (S.length >= max) return `no violation in ${max} states (cut)`;
  const ok = new Uint8Array(S.length), q = [...goods]; q.forEach(i => (ok[i] = 1)); while (q.length) for (const j of pred[q.pop()]) if (!ok[j]) { ok[j] = 1; q.push(j); }
  const stuck = ok.indexOf(0); return stuck < 0 ? `ok ${S.length} states` : `STUCK\n   ${trace(stuck)}\n   ${S[stuck]}`;
}
const C = [
  ['no fault', { plays: 4, window: 2, workers: 1, budget: { crash: 0, wipe: 0 } }],
  ['no fault, 2 workers', { plays: 3, window: 1, workers: 2, budget: { crash: 0, wipe: 0 } }],
  ['1 crash', { plays: 3, window: 1, workers: 1, budget: { crash: 1, wipe: 0 } }],
  ['2 crashes', { plays: 2, window: 1, workers: 1, budget: { crash: 2, wipe: 0 } }],
  ['wipe', { plays: 3, window: 2, workers: 1, budget: { crash: 0, wipe: 1 } }],
  ['wipe of a backlog', { plays: 4, window: 1, workers: 1, budget: { crash: 0, wipe: 1 } }],
  ['priorities', { plays: 4, window: 1, workers: 1, prio: [0, -1, 1, 0], budget: { crash: 0, wipe: 0 } }],
  ['priorities, 1 crash', { plays: 3, window: 1, workers: 1, prio: [0, -1, 1], budget: { crash: 1, wipe: 0 } }],
  ['priorities, wipe', { plays: 3, window: 1, workers: 1, prio: [1, 0, -1], budget: { crash: 0, wipe: 1 } }],
  ['due', { plays: 4, window: 2, workers: 1, due: [0, 2, 3], budget: { crash: 0, wipe: 0 } }],
  ['due, 1 crash', { plays: 3, window: 1, workers: 1, due: [0, 1], budget: { crash: 1, wipe: 0 } }],
  ['due, 2 crashes', { plays: 2, window: 1, workers: 1, due: [0, 1], budget: { crash: 2, wipe: 0 } }],
  ['due, wipe', { plays: 3, window: 1, workers: 1, due: [0, 2], budget: { crash: 0, wipe: 1 } }],
  ['wipe + crash', { plays: 2, window: 1, workers: 1, budget: { crash: 1, wipe: 1 } }],
];
const off = process.argv[2] ? { [process.argv[2]]: false } : {};
for (const [n, c] of C) { const t0 = Date.now(); console.log(n.padEnd(20), bfs(c, off, +(process.argv[3] || 600000)), ((Date.now() - t0) / 1000).toFixed(1) + 's'); }
