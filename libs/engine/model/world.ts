/**
 * Test only. A small world in which the engine's decisions run: stored plays, a queue, worker processes, reconcilers,
 * users and a clock. Every read, every write, every start and end of a call is a step of its own; the code that drives the
 * world chooses the next step. A healthy process is never late (that would be a freeze, which is a fault).
 */
import { isFinal } from '@weft/contracts';
import { Sightings } from '../src/reconcile/sightings.js';
import type { Play } from '../src/play.js';
import type { Engine } from './engine-under-test.js';
import type { Job, Orphan, Reconciler, Ring, Slot, WorldSteps, User, Worker } from './world-parts.js';
import { childSteps, type Child, type Look } from './child-steps.js';
import { clockSteps } from './clock-steps.js';
import { queueSteps } from './queue-steps.js';
import { reconcilerSteps } from './reconciler-steps.js';
import { planOf, type CommandName, type Fault, type Scenario } from './scenario.js';
import { Table } from './table.js';
import { timeSteps } from './time-steps.js';
import { skipStopped, turnSteps, type Keeper } from './turn-steps.js';
import { answerTo, commandsLeft, userSteps } from './user-steps.js';
import { Watch } from './watch.js';
import { workerSteps } from './worker-steps.js';

export class World {
  /** True time: what the monotonic clock of every process shows. */
  now = 1_000_000;
  /** How far MongoDB's clock was set. */
  clockSetBy = 0;
  readonly watch: Watch;
  readonly table: Table;
  readonly plans: readonly ReturnType<typeof planOf>[];
  readonly budget: Record<Fault | CommandName, number>;
  readonly workers: readonly Worker[];
  readonly reconcilers: (Reconciler | null)[];
  /** Of turns: in any number of processes. */
  readonly keepers: (Keeper | null)[] = [null, null];
  /** Of each reconciler. */
  readonly sightings: readonly Sightings[];
  rings: Ring[] = [];
  jobs: Job[] = [];
  orphans: Orphan[] = [];
  users: User[] = [];
  readonly children: Child[] = [];
  looks: Look[] = [];
  owners = 0;
  private calls = 0;
  private accepted = 0;

  constructor(
    readonly scenario: Scenario,
    readonly engine: Engine,
  ) {
    this.watch = new Watch(scenario);
    this.table = new Table(engine, this.watch, scenario.plays.length, this);
    this.plans = scenario.plays.map(planOf);
    this.budget = {
      ...{ crash: 0, freeze: 0, cut: 0, lostLock: 0, wipe: 0, ringLost: 0, stop: 0, layerFails: 0, answerLost: 0 },
      ...{ failover: 0, relabel: 0 },
      ...{ clockAhead: 0, clockBack: 0, noRoom: 0, keeps: 0 },
      ...{ hold: 0, release: 0, cancel: 0, resume: 0, retryNow: 0 },
      ...scenario.budget,
    };
    this.workers = Array.from({ length: scenario.workers }, (_, index) => ({
      index,
      boot: 0,
      frozen: false,
      cut: false,
      unheard: false,
      stopping: false,
      slots: Array.from({ length: scenario.slots }, () => null),
    }));
    this.reconcilers = Array.from({ length: scenario.reconcilers }, () => null);
    this.sightings = this.reconcilers.map(() => new Sightings());
  }

  /** MongoDB's clock, epoch ms; every process follows it. */
  get clock(): number {
    return this.now + this.clockSetBy;
  }

  /** Everything that can happen now. */
  steps(): WorldSteps {
    const steps: WorldSteps = { work: [], faults: [], commands: [], time: [] };
    this.acceptSteps(steps);
    queueSteps(this, steps);
    workerSteps(this, steps);
    reconcilerSteps(this, steps);
    turnSteps(this, steps);
    childSteps(this, steps);
    userSteps(this, steps);
    clockSteps(this, steps);
    timeSteps(this, steps);
    return steps;
  }

  /** No faults, no commands from here on; everything frozen, cut, held or waiting is set going again. */
  calmDown(): void {
    for (const name of Object.keys(this.budget) as (Fault | CommandName)[]) this.budget[name] = 0;
    for (const worker of this.workers) {
      for (const slot of worker.slots) if (slot) slot.since = this.now;
      worker.frozen = false;
      worker.cut = false;
    }
  }

  /** What users do in the end: let go of what they hold, and answer what waits. */
  unblock(): void {
    if (commandsLeft(this)) return;
    skipStopped(this);
    this.table.plays.forEach((play, p) => {
      if (play?.state === 'ON_HOLD') this.users.push(this.user(p, { kind: 'release' }));
      const waiting = play?.state === 'WAIT' ? Object.values(play.waits ?? {}) : [];
      for (const wait of waiting) {
        const { position, kind } = wait;
        if (kind === 'event') this.users.push(this.user(p, { kind: 'resume', position, payload: 'answer' }));
        if (kind === 'approval') this.users.push(this.user(p, answerTo(wait)));
      }
    });
  }

  /** Every accepted play has ended and nobody is busy with one. */
  get atRest(): boolean {
    return (
      this.table.plays.every((play) => !play || isFinal(play.state)) &&
      this.workers.every((worker) => worker.slots.every((slot) => slot === null)) &&
      this.jobs.length + this.rings.length + this.orphans.length + this.looks.length === 0
    );
  }

  /** A layer starts its play, once. */
  startPlay(p: number, position: number): void {
    if (!this.childOf(p, position)) this.children.push({ p, position, ended: false, marked: true, unseen: false });
  }

  childOf(p: number, position: number): Child | undefined {
    return this.children.find((child) => child.p === p && child.position === position);
  }

  /** Somebody looks whether the layer can go on. */
  look(p: number, position: number): void {
    const child = this.childOf(p, position);
    if (child) this.looks.push({ child, read: null, attempts: 0 });
  }

  user(p: number, command: User['command']): User {
    return { p, command, read: null, notBefore: this.now, at: 0, attempts: 0 };
  }

  /** Most calls are over at once; some outlast `LAZY`, some every timeout of the protocol. Milliseconds. */
  callTime(): number {
    this.calls += 1;
    return [0, 0, 150, 1_200, 18_000][(this.now / 10 + this.calls * 3) % 5] ?? 0;
  }

  indexOf({ _id }: Pick<Play, '_id'>): number {
    return this.table.plays.findIndex((play) => play?._id === _id);
  }

  /** As MongoDB has ordered their inserts. */
  isOlder(one: Play, other: Play): boolean {
    const orderOf = ({ order }: { readonly order?: { readonly at?: number } | undefined }) => order?.at ?? 0;
    return orderOf(one) < orderOf(other);
  }

  ring(p: number, epoch: number): void {
    this.rings.push({ p, epoch, askedAt: this.now });
  }

  /** A fault struck a process, or a lock, of a worker that has the play. */
  charge(slot: Slot, mayCountAsCrash: boolean): void {
    const ledger = this.watch.of(slot.p);
    ledger.faults += 1;
    if (!mayCountAsCrash) return;
    ledger.crashes += 1;
    ledger.crashesHere += 1;
  }

  private acceptSteps(steps: WorldSteps): void {
    this.scenario.plays.forEach((script, p) => {
      if (this.table.plays[p] || (p > 0 && !this.table.plays[p - 1] && !script.key)) return;
      if (
        script.key !== undefined &&
        this.table.plays.some((play) => play?.key === script.key && play?.state !== 'FAIL')
      )
        return;
      steps.work.push({
        what: `accept ${p}`,
        run: () => {
          const at = new Date(this.clock);
          const play = this.engine.acceptPlay({
            playId: `play${p}`,
            companyId: 'company',
            flowId: 'flow',
            version: 1,
            args: {},
            idempotencyKey: script.key ?? null,
            timeoutMs: script.timeoutMs,
            notAfter: script.notAfterMs === undefined ? null : new Date(this.clock + script.notAfterMs),
            dueAt: script.delayed ? new Date(this.clock + 2_000) : null,
            limitKey: script.limited ? '' : null,
            lane: script.lane === undefined ? null : { name: script.lane, stopsOnFail: true },
            trigger: 'api',
            triggeredBy: null,
            serverNow: at,
          });
          this.accepted += 1;
          const order = play.lane === undefined && play.limitKey === undefined ? {} : { order: { at: this.accepted } };
          if (this.table.insert(p, { ...play, ...order }) && play.state === 'NEW') this.ring(p, 1);
        },
      });
    });
  }
}
