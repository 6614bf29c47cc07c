/** Test only. The promises of docs/protocol.md §11 and §10, checked at every stored write and every call of a layer. */
import { isFinal, type PlayFrame } from '@weft/contracts';
import { journal } from '../src/journal.js';
import { eventTopic, type LayerWait } from '../src/layer-outcome.js';
import type { LayerPlan } from '../src/layer-plan.js';
import { OPEN_FIELDS, type PlayField } from '../src/play-write.js';
import type { Play } from '../src/play.js';
import { mayMove, type Mover } from '../src/play-state/transitions.js';
import type { Session } from '../src/session/session.js';
import { CRASH_LIMIT, PROTOCOL_TIMES } from '../src/times.js';
import { queueOfTurn, queuesOf } from '../src/turns.js';
import { letterAt, planOf, type Scenario } from './scenario.js';

interface Ledger {
  readonly calls: number[];
  /** Failed calls that were put on record. */
  readonly failed: number[];
  /** Crashes, freezes, cuts, lost locks and hand-backs inside a call that struck a process while it had the play. */
  faults: number;
  /** Of these, the ones that may count as a crash of the play. */
  crashes: number;
  /** Of these, the ones since it last got on: a result, or a step of a layer, was stored. */
  crashesHere: number;
  /** How often each step of its layers was made, by `<layer>.<step>`. */
  readonly steps: Map<string, number>;
  stepsUnderHold: number;
  /** A lock was lost before its holder had claimed: the one case in which nothing is promised about recorded layers. */
  excused: boolean;
  readonly frames: PlayFrame[];
  /** Layers whose end is in the log, and how much of the log was looked at. */
  readonly complete: Set<number>;
  logSeen: number;
}

/** What a play is about, fixed by its acceptance: docs/reliability.md I10. */
const ACCEPTED = [
  'company_id',
  'flowId',
  'version',
  'args',
  'trigger',
  'triggeredBy',
  'priority',
  'createdAt',
  'idempotencyKey',
  'retryOf',
] as const satisfies readonly (keyof Play)[];

export interface Writing {
  readonly by: Mover;
  /** Since the play's last sign of life, whatever the clock showed. */
  readonly silentMs: number;
  /** MongoDB's clock, epoch ms. */
  readonly clock: number;
}

export class Watch {
  violation: string | null = null;
  readonly ledgers: readonly Ledger[];
  private readonly plans: readonly LayerPlan[][];

  constructor(private readonly scenario: Scenario) {
    this.ledgers = scenario.plays.map((script) => ({
      calls: Array.from(script.layers, () => 0),
      failed: [],
      faults: 0,
      crashes: 0,
      crashesHere: 0,
      steps: new Map(),
      stepsUnderHold: 0,
      excused: false,
      frames: [],
      complete: new Set<number>(),
      logSeen: 0,
    }));
    this.plans = scenario.plays.map(planOf);
  }

  of(p: number): Ledger {
    const ledger = this.ledgers[p];
    if (!ledger) throw new Error(`no play ${p}`);
    return ledger;
  }

  bad(what: string): void {
    this.violation ??= what;
  }

  inserted(p: number, play: Play): void {
    if (play.seq !== 1 || play.log.length !== 1) this.bad(`play ${p} was inserted with seq ${play.seq}`);
    this.checkFields(p, play);
    this.publish(p, play);
  }

  wrote(p: number, before: Play, after: Play, { by, silentMs, clock }: Writing): void {
    const move = `${by} wrote play ${p}: ${before.state} → ${after.state}`;
    if (isFinal(before.state)) this.bad(`${move}: a final play was changed`);
    if (!mayMove(by, before.state, after.state)) this.bad(`${move}: no such move`);
    if (after.epoch < before.epoch || after.seq < before.seq || after.cursor < before.cursor)
      this.bad(`${move}: epoch, seq or cursor fell`);
    if (after.epoch === before.epoch && after.seq === before.seq) this.bad(`${move}: neither epoch nor seq was raised`);
    after.log.forEach((entry, i) => {
      if (entry.seq !== i + 1) this.bad(`${move}: log entry ${i + 1} has seq ${entry.seq}`);
    });
    after.layers.forEach((result, i) => {
      const stage = this.stageOf(p, result.position);
      if (i < stage.first || i > stage.last) this.bad(`${move}: the result of layer ${result.position} lies at ${i}`);
    });
    if (new Set(after.layers.map((result) => result.position)).size !== after.layers.length)
      this.bad(`${move}: two results of one layer`);
    if (before.layers.some((result, i) => after.layers[i] !== result)) this.bad(`${move}: a stored result was changed`);
    for (const field of ACCEPTED)
      if (after[field] !== before[field]) this.bad(`${move}: ${field} is not what it was when the play was accepted`);
    for (const [layer, tries] of Object.entries(after.tries ?? {})) this.of(p).failed[Number(layer)] = tries;
    this.checkOrder(p, after);
    for (const wait of Object.values(before.waits ?? {})) {
      const kept = after.waits?.[wait.position];
      if (kept?.kind === wait.kind && wait.kind !== 'retry' && kept.since.getTime() !== wait.since.getTime())
        this.bad(`${move}: layer ${wait.position} waits anew`);
    }
    if (after.state === 'SKIP' && this.of(p).calls.some((calls) => calls > 0))
      this.bad(`${move}: it was not to begin any more, and its layers were called`);
    const hasBegun = before.owner === undefined && after.owner !== undefined;
    if (hasBegun && before.notAfter && clock > before.notAfter.getTime())
      this.bad(`${move}: it has begun after the time by which it had to`);
    this.checkSteps(p, before, after, move);
    if (after.state !== 'ON_HOLD') this.of(p).stepsUnderHold = 0;
    const reaped = by === 'reconcile' && before.owner !== undefined;
    if (reaped && silentMs < PROTOCOL_TIMES.leaseMs)
      this.bad(`${move}: the owner was reaped although its lease had not expired`);
    if (after.crashes > this.of(p).crashes)
      this.bad(`${move}: ${after.crashes} crashes on record, ${this.of(p).crashes} have struck it`);
    if (after.error?.code === 'crashed_repeatedly') this.checkGivenUp(p);
    this.checkFields(p, after);
    this.publish(p, after);
  }

  /** A worker has begun with the call, and may send it later. `now` is MongoDB's clock. */
  began(p: number, layer: number, stored: Play, now: number): void {
    const where = `layer ${layer} of play ${p}`;
    const pause = stored.waits?.[layer];
    if (pause?.kind === 'retry' && (pause.until?.getTime() ?? 0) > now) this.bad(`${where} was called in its pause`);
    if (letterAt(this.scenario.plays[p], layer) === 'n') this.bad(`${where} was called although its when is false`);
    if (stored.layers.some((result) => result.filtersRest ?? result.skips?.includes(layer)))
      this.bad(`${where} was called although it is ruled out`);
  }

  /** The call is made; `earlier` calls of the same step began before it. */
  called(p: number, layer: number, stored: Play, earlier: number): void {
    const ledger = this.of(p);
    const letter = letterAt(this.scenario.plays[p], layer);
    const calls = (ledger.calls[layer] ?? 0) + 1;
    ledger.calls[layer] = calls;
    const where = `layer ${layer} of play ${p}`;
    const failed = ledger.failed[layer] ?? 0;
    const { wipe = 0 } = this.scenario.budget;
    if (this.scenario.plays[p]?.poison && calls > CRASH_LIMIT + wipe)
      this.bad(`${where} is poison and was called ${calls} times`);
    if (calls > 1 + failed + ledger.faults)
      this.bad(`${where}: ${calls} calls after ${ledger.faults} faults and ${failed} failures on record`);
    if ('oq'.includes(letter) && calls > 1 + failed)
      this.bad(`${where} is onInterrupted: fail and was called ${calls} times`);
    const recorded = stored.layers.some((result) => result.position === layer);
    if (recorded && stored.state !== 'FAIL' && !ledger.excused)
      this.bad(`${where} was called after its result was recorded`);
    if (stored.state === 'ON_HOLD') {
      // the calls of one step are begun at once: whoever was about to begin them begins them all
      if (earlier === 0) ledger.stepsUnderHold += 1;
      if (ledger.stepsUnderHold > 1 + ledger.faults) this.bad(`${where}: the hold has no effect`);
    }
  }

  /** A layer that works in steps makes this one. */
  stepMade(p: number, layer: number, step: number, stored: Play): void {
    const ledger = this.of(p);
    const key = `${layer}.${step}`;
    const times = (ledger.steps.get(key) ?? 0) + 1;
    ledger.steps.set(key, times);
    ledger.calls[layer] = (ledger.calls[layer] ?? 0) + 1;
    const where = `step ${step} of layer ${layer} of play ${p}`;
    if (ledger.excused) return;
    const count = stored.doneItems?.[layer]?.count ?? 0;
    const isOver = isFinal(stored.state) || stored.layers.some((result) => result.position === layer);
    if (!isOver && count < step) this.bad(`${where} was made although only ${count} before it are stored`);
    if (!isOver && count > step) this.bad(`${where} was made although its end is stored`);
    if (times > 1 + ledger.faults) this.bad(`${where} was made ${times} times after ${ledger.faults} faults`);
  }

  /** What is stored of the steps of a layer is not lost, and an answer ends no later wait. */
  private checkSteps(p: number, before: Play, after: Play, move: string): void {
    const ledger = this.of(p);
    if (after.cursor > before.cursor) ledger.crashesHere = 0;
    for (const [layer, { count }] of Object.entries(after.doneItems ?? {})) {
      if (letterAt(this.scenario.plays[p], Number(layer)) !== 'a') continue;
      const stored = before.doneItems?.[layer]?.count ?? 0;
      if (count < stored) this.bad(`${move}: ${stored} steps were stored, and ${count} are`);
      if (count > stored) ledger.crashesHere = 0;
    }
    for (const { position, step } of Object.values(after.waits ?? {}))
      if (step !== undefined && after.inbox && (after.inbox[position] ?? `answer ${step}`) !== `answer ${step}`)
        this.bad(`${move}: step ${step} of layer ${position} waits with the answer to another one`);
    for (const { position, error } of after.layers)
      if (letterAt(this.scenario.plays[p], position) === 'a' && error?.code === 'internal')
        this.bad(`${move}: layer ${position} may not wait for its next step`);
  }

  /** Who rests has stored what its layers wait for, or an event that comes meanwhile would find nobody; but not under a hold. */
  rested(p: number, session: Session, stored: Play): void {
    if (stored.owner !== session.ownerId || stored.state !== 'RUN' || session.state === 'ON_HOLD' || session.failure)
      return;
    for (const { position, kind } of Object.values(session.waits))
      if (stored.waits?.[position]?.kind !== kind)
        this.bad(`layer ${position} of play ${p} waits, and that is not stored`);
  }

  /** After the faults: nothing accepted is stuck or incomplete, and a watcher received all of it. */
  ended(plays: readonly (Play | null)[]): void {
    plays.forEach((play, p) => {
      if (!play) return;
      const layers = this.scenario.plays[p]?.layers ?? '';
      if (!isFinal(play.state)) this.bad(`play ${p} is stuck in ${play.state}`);
      if (play.state === 'DONE' && play.layers.length !== layers.length)
        this.bad(`play ${p} is DONE with ${play.layers.length} of ${layers.length} layers`);
      for (const { position, state } of play.state === 'FAIL' ? [] : play.layers) {
        const called = (this.of(p).calls[position] ?? 0) > 0;
        if (state === 'DONE' && !called && this.plans[p]?.[position]?.kind === 'effect')
          this.bad(`layer ${position} of play ${p} is DONE and was never called`);
      }
      const filtered = layers.length > 0 && play.layers.every((result) => result.state === 'FILTERED');
      if (play.state === 'SKIP' && this.scenario.plays[p]?.notAfterMs === undefined)
        this.bad(`play ${p} is SKIP, and could begin at any time`);
      if (play.state !== 'FAIL' && play.state !== 'SKIP' && (play.state === 'FILTERED') !== filtered)
        this.bad(`play ${p} is ${play.state}, and its layers ${filtered ? '' : 'not '}all FILTERED`);
      this.checkRuledOut(p, play);
      const frames = this.of(p).frames;
      if (JSON.stringify(journal(play)) !== JSON.stringify(frames))
        this.bad(`what was published of play ${p} is not its journal`);
      frames.forEach((frame, i) => {
        if (frame.seq !== i + 1) this.bad(`frame ${i + 1} of play ${p} has seq ${frame.seq}`);
        if ((frame.type === 'play_complete') !== (i === frames.length - 1))
          this.bad(`play_complete of play ${p} is not the last frame, or not the only one`);
      });
    });
    for (const key of new Set(this.scenario.plays.map((script) => script.key))) {
      const done = plays.filter((play) => key !== undefined && play?.idempotencyKey === key && play.state === 'DONE');
      if (done.length > 1) this.bad(`two DONE plays have the key ${key}`);
    }
  }

  /** A play has all turns that it needs or none, nobody else has one of them, and the end removes them. */
  checkTurns(p: number, before: Play, plays: readonly (Play | null)[]): void {
    const play = plays[p];
    if (!play) return;
    const { state, turns, lane, queues } = play;
    const wrong = (what: string) => this.bad(`play ${p} is ${state} ${what}`);
    const others = plays.flatMap((one, i) => (i === p ? [] : (one?.turns ?? [])));
    if (turns?.some((turn) => others.includes(turn))) wrong('and has a turn that another play has');
    const needed = queuesOf(play);
    if (isFinal(state)) {
      const kept = state === 'FAIL' && before.turns && lane !== undefined ? [`lane:${lane}#0`] : [];
      if (JSON.stringify(turns ?? []) !== JSON.stringify(kept)) wrong(`with the turns ${String(turns)} after its end`);
      return;
    }
    const has = (turns ?? []).map(queueOfTurn);
    if (turns && JSON.stringify(has) !== JSON.stringify(needed)) wrong('with some of its turns');
    if (turns && queues) wrong('with turns, and waits for some');
    const goesOn = [state, play.held].some((one) => one === 'RUN' || one === 'WAIT' || one === 'NEW') || play.ready;
    if (goesOn && needed.length > 0 && !turns) wrong('without its turns');
  }

  private checkGivenUp(p: number): void {
    const { plays } = this.scenario;
    const poisoned = plays.some((script) => script.poison);
    if (poisoned && !plays[p]?.poison)
      this.bad(`innocent play ${p} FAILed because it shared a process with a poison play`);
    // a write that a dead worker has sent may arrive before its death is counted
    const isElsewhere = plays[p]?.layers.includes('a') && this.of(p).crashesHere + 1 < CRASH_LIMIT;
    if (isElsewhere) this.bad(`innocent play ${p} FAILed crashed_repeatedly although it got on`);
    if (this.of(p).crashes < CRASH_LIMIT)
      this.bad(`innocent play ${p} FAILed crashed_repeatedly after ${this.of(p).crashes} crashes`);
  }

  /** A layer starts only when every layer of the stages before its own has ended. */
  private checkOrder(p: number, play: Play): void {
    const ledger = this.of(p);
    for (const entry of play.log.slice(ledger.logSeen)) {
      if (entry.type === 'complete') ledger.complete.add(entry.layer);
      if (entry.type !== 'start') continue;
      const { first } = this.stageOf(p, entry.layer);
      for (let before = 0; before < first; before += 1)
        if (!ledger.complete.has(before))
          this.bad(`layer ${entry.layer} of play ${p} began before ${before} had ended`);
    }
    ledger.logSeen = play.log.length;
  }

  /** What a filter or a branch ruled out has a result that says so, unless it was begun by then. */
  private checkRuledOut(p: number, play: Play): void {
    if (play.state === 'FAIL') return;
    for (const ruling of play.layers) {
      const { last } = this.stageOf(p, ruling.position);
      for (const { position, state } of play.layers) {
        if (position <= last) continue;
        if (ruling.filtersRest && state !== 'FILTERED') this.bad(`layer ${position} of play ${p} ran behind a filter`);
        if (ruling.skips?.includes(position) && state !== 'SKIP' && state !== 'FILTERED')
          this.bad(`layer ${position} of play ${p} ran although its branch was not taken`);
      }
    }
  }

  private stageOf(p: number, layer: number): { readonly first: number; readonly last: number } {
    const plan = this.plans[p] ?? [];
    const first = plan[layer]?.stage ?? layer;
    return { first, last: plan.findLastIndex((one) => one.stage === first) };
  }

  /** docs/protocol.md §2: which fields a play has in which state; what breaks this is found by no index, or by the wrong one. */
  private checkFields(p: number, play: Play): void {
    const { state } = play;
    const has = (field: PlayField & keyof Play) => play[field] !== undefined;
    const wrong = (what: string) => this.bad(`play ${p} is ${state} ${what}`);
    if (play.seq !== play.log.length) wrong(`with seq ${play.seq} and ${play.log.length} events`);
    if (play.cursor !== play.layers.length) wrong(`with cursor ${play.cursor} and ${play.layers.length} results`);
    if ((state === 'NEW' || state === 'RUN') && !has('heartbeatAt')) wrong('without heartbeatAt');
    if ((state === 'WAIT' || state === 'DEFERRED') && has('heartbeatAt')) wrong('with heartbeatAt');
    if (state === 'DEFERRED' && has('dueAt') === has('queues')) wrong('with dueAt and in queues, or neither');
    if (has('ready') && ![state, play.held].some((at) => at === 'NEW' || at === 'DEFERRED')) wrong('and ready');
    if (has('owner') && state !== 'RUN' && state !== 'ON_HOLD') wrong('with an owner');
    if (has('held') !== (state === 'ON_HOLD')) wrong('with or without held');
    this.checkWaits(play, wrong);
    if (!isFinal(state)) return;
    if (OPEN_FIELDS.some(has)) wrong('with fields of an open play');
    const bindsKey = (state === 'DONE' || state === 'FAIL') && play.idempotencyKey !== undefined;
    if (has('key') !== bindsKey) wrong('with the wrong key');
    if (!play.completedAt) wrong('without completedAt');
  }

  /** What is waited for, and what an event finds it by, are one; neither outlives its layer, nor does the layer's answer. */
  private checkWaits(play: Play, wrong: (what: string) => void): void {
    const waits = Object.values(play.waits ?? {});
    const topics = waits.flatMap(({ event }) => (event ? [eventTopic(event.name, event.key)] : []));
    if (JSON.stringify(play.waitsFor ?? []) !== JSON.stringify(topics)) wrong('and waitsFor is not what it waits for');
    if (play.waits && waits.length === 0) wrong('with waits that are empty');
    const ended = new Set(play.layers.map((result) => result.position));
    for (const position of [...Object.keys(play.waits ?? {}), ...Object.keys(play.tries ?? {})].map(Number))
      if (ended.has(position)) wrong(`and waits for layer ${position}, or tries it, although it has ended`);
    for (const position of Object.keys(play.inbox ?? {}).map(Number))
      if (ended.has(position)) wrong(`and keeps the answer of layer ${position}, which has ended`);
    if (play.state !== 'WAIT' && play.state !== 'DEFERRED') return;
    const isFound = waits.some(({ event, kind }) => event !== undefined || kind === 'children' || kind === 'approval');
    if (play.state === 'WAIT' && !isFound) wrong('for nothing');
    const first = Math.min(...waits.map(({ until }) => until?.getTime() ?? Infinity));
    // who has an answer, and who was let go, waits for nothing but room
    const goesOn = ({ position, kind, until }: LayerWait) =>
      Object.hasOwn(play.inbox ?? {}, position) || (kind === 'children' && until !== null);
    if (play.ready || waits.some(goesOn)) return;
    if (waits.length > 0 && (play.dueAt?.getTime() ?? Infinity) !== first)
      wrong('and due at another time than its waits');
  }

  private publish(p: number, play: Play): void {
    const { frames } = this.of(p);
    frames.push(...journal(play, frames.length + 1));
  }
}
