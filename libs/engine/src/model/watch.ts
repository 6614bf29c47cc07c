/** Test only. The promises of protocol §11 and §10, checked at every stored write and every call of a layer. */
import { isFinal, type PlayFrame } from '@weft/contracts';
import { journal } from '../journal.js';
import type { Play } from '../play.js';
import { mayMove, type Mover } from '../play-state/transitions.js';
import { CRASH_LIMIT, PROTOCOL_TIMES } from '../times.js';
import type { Scenario } from './scenario.js';

interface Ledger {
  readonly calls: number[];
  /** Crashes, freezes, cuts, lost locks and hand-backs inside a call that struck a process while it had the play. */
  faults: number;
  /** Of these, the ones that may count as a crash of the play. */
  crashes: number;
  callsUnderHold: number;
  /** A lock was lost before its holder had claimed: the one case in which nothing is promised about recorded layers. */
  excused: boolean;
  readonly frames: PlayFrame[];
}

export class Watch {
  violation: string | null = null;
  readonly ledgers: readonly Ledger[];

  constructor(private readonly scenario: Scenario) {
    this.ledgers = scenario.plays.map((script) => ({
      calls: Array.from(script.layers, () => 0),
      faults: 0,
      crashes: 0,
      callsUnderHold: 0,
      excused: false,
      frames: [],
    }));
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

  wrote(p: number, before: Play, after: Play, by: Mover, now: number): void {
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
      if (result.position !== i) this.bad(`${move}: the result of layer ${result.position} lies at ${i}`);
    });
    if (after.state !== 'ON_HOLD') this.of(p).callsUnderHold = 0;
    const reaped = by === 'reconcile' && before.owner !== undefined;
    if (reaped && now - (before.beatAt?.getTime() ?? 0) < PROTOCOL_TIMES.leaseMs)
      this.bad(`${move}: the owner was reaped although its lease had not expired`);
    if (after.error?.code === 'crashed_repeatedly') this.checkGivenUp(p);
    this.checkFields(p, after);
    this.publish(p, after);
  }

  /** @param stored the play as it is stored when the call starts */
  called(p: number, layer: number, stored: Play): void {
    const ledger = this.of(p);
    const letter = this.scenario.plays[p]?.layers[layer];
    const calls = (ledger.calls[layer] ?? 0) + 1;
    ledger.calls[layer] = calls;
    const where = `layer ${layer} of play ${p}`;
    if (this.scenario.plays[p]?.poison && calls > CRASH_LIMIT + (this.scenario.budget.wipe ?? 0))
      this.bad(`${where} is poison and was called ${calls} times`);
    if (calls > 1 + ledger.faults) this.bad(`${where}: ${calls} calls after ${ledger.faults} faults`);
    if (letter === 'o' && calls > 1) this.bad(`${where} is onInterrupted: fail and was called ${calls} times`);
    if (stored.cursor > layer && stored.state !== 'FAIL' && !ledger.excused)
      this.bad(`${where} was called after its result was recorded`);
    if (stored.state === 'ON_HOLD') {
      ledger.callsUnderHold += 1;
      if (ledger.callsUnderHold > 1 + ledger.faults) this.bad(`${where}: the hold has no effect`);
    }
  }

  /** After the faults: nothing accepted is stuck or incomplete, and a watcher was told all of it. */
  ended(plays: readonly (Play | null)[]): void {
    plays.forEach((play, p) => {
      if (!play) return;
      const layers = this.scenario.plays[p]?.layers ?? '';
      if (!isFinal(play.state)) this.bad(`play ${p} is stuck in ${play.state}`);
      if (play.state === 'DONE' && play.layers.length !== layers.length)
        this.bad(`play ${p} is DONE with ${play.layers.length} of ${layers.length} layers`);
      if (play.state === 'DONE' && this.of(p).calls.some((n, i) => n === 0 && 'eco'.includes(layers[i] ?? '')))
        this.bad(`play ${p} is DONE and an effect of it was never called`);
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

  private checkGivenUp(p: number): void {
    const { plays } = this.scenario;
    const poisoned = plays.some((script) => script.poison);
    if (poisoned && !plays[p]?.poison)
      this.bad(`innocent play ${p} FAILed because it shared a process with a poison play`);
    if (this.of(p).crashes < CRASH_LIMIT)
      this.bad(`innocent play ${p} FAILed crashed_repeatedly after ${this.of(p).crashes} crashes`);
  }

  /** Protocol §2: which fields a play has in which state; what breaks this is found by no index, or by the wrong one. */
  private checkFields(p: number, play: Play): void {
    const { state } = play;
    const has = (field: 'owner' | 'beatAt' | 'dueAt' | 'key' | 'strict' | 'started' | 'held') =>
      play[field] !== undefined;
    const wrong = (what: string) => this.bad(`play ${p} is ${state} ${what}`);
    if (play.seq !== play.log.length) wrong(`with seq ${play.seq} and ${play.log.length} events`);
    if (play.cursor !== play.layers.length) wrong(`with cursor ${play.cursor} and ${play.layers.length} results`);
    if ((state === 'NEW' || state === 'RUN') && !has('beatAt')) wrong('without beatAt');
    if ((state === 'WAIT' || state === 'DEFERRED') && has('beatAt')) wrong('with beatAt');
    if (state === 'DEFERRED' && !has('dueAt')) wrong('without dueAt');
    if (has('owner') && state !== 'RUN' && state !== 'ON_HOLD') wrong('with an owner');
    if (has('held') !== (state === 'ON_HOLD')) wrong('with or without held');
    if (!isFinal(state)) return;
    if (has('beatAt') || has('dueAt') || has('strict') || has('started')) wrong('with fields of an open play');
    if (has('key') !== (state === 'DONE' && play.idempotencyKey !== undefined)) wrong('with the wrong key');
    if (!play.completedAt) wrong('without completedAt');
  }

  private publish(p: number, play: Play): void {
    const { frames } = this.of(p);
    frames.push(...journal(play, frames.length + 1));
  }
}
