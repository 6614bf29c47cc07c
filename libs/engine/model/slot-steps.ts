/** Test only. What a worker does with one play: it performs what the engine decides, and decides nothing itself. */
import type { Play } from '../src/play.js';
import type { Session } from '../src/session/session.js';
import { hasUnstoredEffect, touchesWorld } from '../src/session/stage.js';
import { crashesOf, isSuspect } from '../src/session/suspects.js';
import { layersWaitingForPlays, type SessionWrite } from '../src/session/write-fields.js';
import { callSteps } from './call-steps.js';
import { isProofFresh } from './proof.js';
import { send, type Push, type Slot, type WorldSteps, type Worker } from './world-parts.js';
import { letterAt } from './scenario.js';
import { outcomeOf } from './layer-outcomes.js';
import { newStepper } from './step-steps.js';
import type { World } from './world.js';

/** A world with more would hardly come to its end. */
const MOST_PARKINGS = 3;

export function slotSteps(world: World, worker: Worker, slot: Slot, k: number, steps: WorldSteps): void {
  const { engine, table, now, clock } = world;
  const { p, session } = slot;
  const name = `W${worker.index}/${p}`;
  const push: Push = (list, what, run) =>
    void steps[list].push({
      what: `${name} ${what}`,
      run: () => {
        slot.since = world.now;
        slot.rests = null;
        run();
      },
    });

  if (slot.dropped) return push('work', 'completes its job', () => endJob(world, worker, k));
  const mongo = !worker.cut;
  const reads = mongo && !(worker.unheard && engine.holdsReads);
  if (!session) {
    if (!reads) return;
    if (!slot.asks) push('work', 'reads', () => void (slot.asks = { play: table.get(p) }));
    else push('work', 'has read', () => takes(world, slot, slot.asks?.play ?? table.get(p)));
    return;
  }
  const { inFlight, renewal } = slot;
  if (inFlight && mongo) {
    push('work', `${inFlight.write.purpose} is answered`, () => answered(world, slot, session));
    if (world.budget.answerLost > 0) {
      const fails = (stores: boolean) => () => {
        world.budget.answerLost -= 1;
        slot.inFlight = null;
        slot.rereadFor = inFlight.write.purpose;
        if (stores && table.write(p, inFlight.write.write, 'worker')) nobodyLooks(world, p, inFlight.write);
      };
      push('faults', `${inFlight.write.purpose} is stored, but its answer lost`, fails(true));
      push('faults', `${inFlight.write.purpose} is lost`, fails(false));
    }
  }
  const rereads = (play: Play | null) => () => {
    const purpose = slot.rereadFor ?? 'boundary';
    slot.rereadFor = null;
    decided(engine, slot, engine.onWriteRefused(session, purpose, play));
  };
  if (slot.rereadFor && reads) push('work', 'reads again', rereads(table.get(p)));
  if (renewal && mongo)
    push('work', 'renewal is answered', () => {
      slot.renewal = null;
      slot.proving = false;
      if (table.renew(p, slot.owner)) slot.proofAt = Math.max(slot.proofAt, renewal.sentAt);
      else slot.renewalLost = true;
    });
  const looks = (play: Play | null) => () => {
    slot.renewalLost = false;
    const after = engine.onWriteRefused(session, 'renew', play);
    if (after.endReason !== null) decided(engine, slot, after);
  };
  if (slot.renewalLost && reads) push('work', 'reads after a lost renewal', looks(table.get(p)));
  if (reads && worker.unheard)
    for (const back of [1, 2, 3]) {
      const past = table.getPast(p, back);
      if (slot.rereadFor) push('work', `reads what was there ${back} writes ago`, rereads(past));
      if (slot.renewalLost) push('work', `looks at what was there ${back} writes ago`, looks(past));
      else if (session.isClaimed && !inFlight)
        push('work', 'a renewal seems to be refused', () => void (slot.renewalLost = true));
    }
  if (session.isClaimed && !renewal && !slot.renewalLost && now - slot.proofAt >= engine.times.renewMs)
    push('work', 'renews', () => void (slot.renewal = { sentAt: world.now }));

  const writing = inFlight !== null || slot.rereadFor !== null;
  const calls = slot.abandoned ? [] : session.runningCalls;
  callSteps(world, worker, slot, session, writing, push);
  if (writing) return;
  const oldest = calls[0];
  if (oldest && now - begunAt(slot, oldest.position) >= engine.times.lazyMs) {
    const write = engine.decideLazyClaim(session, new Date(clock));
    if (write) push('work', 'sends lazy', () => send(world, slot, write));
  }
  if (oldest && world.budget.keeps > 0 && !slot.steppers.has(oldest.position)) {
    const write = engine.decideKeeping(session, oldest.position, { count: 1 }, new Date(clock));
    const keeps = (sent: NonNullable<typeof write>) => () => {
      world.budget.keeps -= 1;
      send(world, slot, sent);
    };
    if (write) push('work', 'keeps what its loop has done', keeps(write));
  }
  if (slot.proving || slot.renewalLost || (slot.rests && (slot.rests.until ?? Infinity) > now)) return;
  if (slot.waitsForTurn && !worker.stopping && !isItsTurn(world, worker, slot))
    return parkSteps(world, worker, k, push);
  push('work', 'goes on', () => acts(world, worker, slot, session));
}

/** @param play as it was when it was read: the answer may have session long */
function takes(world: World, slot: Slot, play: Play): void {
  const { engine, now, clock } = world;
  const start = {
    epoch: slot.epoch,
    redelivered: slot.redelivered,
    isProofFresh: now - slot.takenAt < engine.times.windowMs,
    isOfOthers: world.jobs.some(({ p, epoch, isLeftBehind }) => p === slot.p && epoch === slot.epoch && isLeftBehind),
    ownerId: slot.owner,
    at: new Date(clock),
  };
  const session = engine.startSession(play, start, world.plans[slot.p] ?? []);
  if ('drop' in session) {
    slot.dropped = true;
    return;
  }
  slot.session = session;
  if (isSuspect(session)) slot.suspect = { crashes: crashesOf(session) };
}

function acts(world: World, worker: Worker, slot: Slot, session: Session): void {
  const { engine, table, now, clock } = world;
  const at = new Date(clock);
  slot.waitsForTurn = false;
  if (slot.abandoned) {
    const write = engine.decideGivingUp(session, at);
    if (write) send(world, slot, write);
    else slot.dropped = true;
    return;
  }
  const facts = { isProofFresh: isProofFresh(world, slot, session), isStopping: worker.stopping, at };
  const step = engine.nextStep(session, facts);
  switch (step.kind) {
    case 'drop':
      slot.dropped = true;
      return;
    case 'renewLease':
      slot.proving = true;
      slot.renewal ??= { sentAt: now };
      return;
    case 'write':
      if (step.purpose === 'claim' && !isItsTurn(world, worker, slot)) slot.waitsForTurn = true;
      else send(world, slot, step);
      return;
    case 'idle':
      world.watch.rested(slot.p, session, table.get(slot.p));
      slot.rests = { until: step.until && now + step.until.getTime() - clock };
      return;
    case 'checkConditions':
      for (const position of step.positions) asksWhen(world, slot, position);
      return;
    case 'startLayers':
      begins(world, slot, session, step.positions);
  }
}

function begins(world: World, slot: Slot, session: Session, positions: readonly number[]): void {
  const { engine, now, clock, table } = world;
  const effects = positions.filter((position) => touchesWorld(session, position));
  if (effects.length > 0 && session.runningCalls.length === 0 && hasUnstoredEffect(session))
    world.watch.bad(`play ${slot.p} touches the world before what it gave is stored`);
  for (const position of positions) {
    slot.touching.delete(position);
    slot.unsent.delete(position);
  }
  for (const [i, position] of effects.entries()) {
    world.watch.began(slot.p, position, table.get(slot.p), clock);
    if (letterAt(world.scenario.plays[slot.p], position) === 'a') {
      slot.steppers.set(position, newStepper(session, position));
      continue;
    }
    slot.touching.add(position);
    if (session.plan[position]?.kind === 'effect') slot.unsent.set(position, i);
    else {
      world.watch.called(slot.p, position, table.get(slot.p), i);
      world.startPlay(slot.p, position);
    }
  }
  for (const position of positions) {
    const { inbox, waits } = session;
    const hasEnded = world.childOf(slot.p, position)?.ended === true;
    const asked = { inbox, wait: waits[position], hasEnded, at: clock, begunAt: now };
    slot.asked.set(position, { ...asked, lastsUntil: now + world.callTime() });
  }
  slot.session = engine.onLayersStarted(session, positions, new Date(clock));
}

export function begunAt(slot: Slot, position: number): number {
  return slot.asked.get(position)?.begunAt ?? 0;
}

function asksWhen(world: World, slot: Slot, position: number): void {
  const { session } = slot;
  if (!session) return;
  const applies = letterAt(world.scenario.plays[slot.p], position) !== 'n';
  slot.session = world.engine.onConditionChecked(
    session,
    position,
    applies ? null : outcomeOf(world, slot, position, null),
  );
}

function answered(world: World, slot: Slot, session: Session): void {
  const sent = slot.inFlight;
  if (!sent) return;
  slot.inFlight = null;
  const { write } = sent.write;
  if (!world.table.write(slot.p, write, 'worker')) {
    slot.rereadFor = sent.write.purpose;
    return;
  }
  slot.proofAt = Math.max(slot.proofAt, sent.sentAt);
  for (const position of world.engine.layersWaitingForPlays(sent.write)) world.look(slot.p, position);
  decided(world.engine, slot, world.engine.onWriteStored(session, sent.write));
  if (sent.write.purpose === 'handBack') world.ring(slot.p, write.set.epoch ?? slot.epoch);
}

/** The write is stored, and who has sent it does not know that. */
function nobodyLooks(world: World, p: number, write: SessionWrite): void {
  for (const position of layersWaitingForPlays(write)) {
    const child = world.childOf(p, position);
    if (child) child.unseen = true;
  }
}

/** A play that is no longer this worker's is let go at once, also out of a call. */
function decided({ clearsSuspects }: World['engine'], slot: Slot, session: Session): void {
  slot.session = session;
  if (session.endReason !== null) slot.dropped = true;
  if (clearsSuspects && session.hasMoved) slot.suspect = null;
}

function isItsTurn({ engine }: World, { slots }: Worker, slot: Slot): boolean {
  if (!slot.suspect) return true;
  const inside = slots.flatMap((one) => {
    if (!one?.suspect || one === slot || one.session?.endReason !== null) return [];
    return !one.session.mustClaim || one.inFlight?.write.purpose === 'claim' ? [one.suspect.crashes] : [];
  });
  return engine.mayRunInParallel(inside, slot.suspect.crashes, engine.suspectsAtOnce);
}

/** Its slot goes to others: the job comes again later, here or in another process. */
function parkSteps(world: World, worker: Worker, k: number, push: Push): void {
  const job = world.jobs.find(({ holder }) => holder === worker.slots[k]);
  if (!job || job.parkings === MOST_PARKINGS) return;
  push('work', 'gives its job back', () => {
    job.parkings += 1;
    job.holder = null;
    worker.slots[k] = null;
  });
}

function endJob(world: World, worker: Worker, k: number): void {
  const slot = worker.slots[k];
  worker.slots[k] = null;
  world.jobs = world.jobs.filter((job) => job.holder !== slot);
}
