import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { limitOf } from '@weft/contracts';
import { isAtStoppedLane, laneOfQueue } from '@weft/engine';
import { Mongo, PlayReadsRepository, PlaysAheadRepository, TenantScope, WaitChainRepository } from '@weft/store';
import { DestinationRepository, FlowRepository, FlowVersionRepository, type DestinationDocument } from '@weft/records';
import { LiveWorkers, workersOf } from '@weft/queue';
import { CompanyLimits } from '@weft/runs';
import { PlayRights, seesOwnOnly } from '../play-rights.js';
import { waitChain, type WaitChain } from './wait-chain.js';
import { answer, whyWaiting, type Finding, type WaitingPlay } from './why-waiting.js';
import type { WaitChainEntry, WaitingView } from './waiting.view.js';

type Figures = Pick<WaitingView, 'position' | 'ahead' | 'limit'>;

/** Plays before a play are counted up to here. */
const MAX_AHEAD = 10_000;

const CIRCLE =
  'It waits for plays that wait for each other: a time limit ends that, or a person who cancels one of them.';

/** Answers why a play does not go on, with a place in the queue where it waits for its turn. */
@Injectable()
export class WaitingService {
  private readonly ahead: PlaysAheadRepository;
  private readonly chains: WaitChainRepository;

  constructor(
    private readonly mongo: Mongo,
    private readonly plays: PlayReadsRepository,
    private readonly flows: FlowRepository,
    private readonly versions: FlowVersionRepository,
    private readonly rights: PlayRights,
    private readonly workers: LiveWorkers,
    private readonly limits: CompanyLimits,
    private readonly destinations: DestinationRepository,
  ) {
    this.ahead = new PlaysAheadRepository(mongo);
    this.chains = new WaitChainRepository(mongo);
  }

  /** @throws WeftError `not_found`, `denied` */
  async read(caller: Principal, playId: string): Promise<WaitingView> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.findWaiting(scope, playId));
    const now = new Date(this.mongo.serverNow());
    const [view, chain] = await Promise.all([
      this.viewOf(scope, play, now),
      waitChain(scope, play._id, now, this.chains),
    ]);
    return this.withChain(caller, view, chain);
  }

  private async viewOf(scope: TenantScope, play: WaitingPlay, now: Date): Promise<WaitingView> {
    const found = whyWaiting(play, now);
    if ('view' in found) {
      if (found.view.reason === 'retry') return this.withAttempts(scope, play, found.view);
      return found.view.reason === 'destination_down' ? this.withDestination(scope, play, found.view) : found.view;
    }
    return this.turnOf(scope, play, found, now);
  }

  /** Names only plays that the caller may read. */
  private async withChain(caller: Principal, view: WaitingView, { links, isCircle }: WaitChain): Promise<WaitingView> {
    const plays = links.map(({ play }) => play);
    const permitted = await this.rights.permitted(caller, 'read', plays);
    const ownOnly = seesOwnOnly(caller, 'GET');
    const readable = new Set(permitted.filter((play) => !ownOnly || play.triggeredBy === caller.userId));
    const chain = links.map(({ play, waitsFor, queue }): WaitChainEntry => {
      if (!readable.has(play)) return { playId: null, flowId: null, waitsFor };
      return { playId: play._id, flowId: play.flowId, waitsFor, ...(queue !== undefined && { queue }) };
    });
    const message = isCircle ? `${view.message} ${CIRCLE}` : view.message;
    return { ...view, message, chain, circle: isCircle };
  }

  private async withAttempts(scope: TenantScope, play: WaitingPlay, view: WaitingView): Promise<WaitingView> {
    const version = await this.versions.find(scope, play.flowId, play.version);
    const attempts = version?.layers.find(({ ref }) => ref === view.ref)?.retry?.attempts ?? null;
    return { ...view, attempts };
  }

  /** When the destination is tried next, or who lets calls through again. */
  private async withDestination(scope: TenantScope, { waits }: WaitingPlay, view: WaitingView): Promise<WaitingView> {
    const wait = Object.values(waits ?? {}).find(({ ref }) => ref === view.ref);
    const found = wait?.destination === undefined ? null : await this.destinations.find(scope, wait.destination);
    const how = destinationSays(found);
    return how === '' ? view : { ...view, message: `${view.message} ${how}` };
  }

  private async turnOf(
    scope: TenantScope,
    play: WaitingPlay,
    { turn, since }: Extract<Finding, { turn: unknown }>,
    now: Date,
  ): Promise<WaitingView> {
    const common = { since: since.toISOString() };
    if (typeof turn === 'object') return this.turnInQueue(scope, play, turn.queue, common);
    const label = await this.limits.workerLabel(scope.companyId);
    const known = await this.workersNow(label).catch(() => null);
    if (known === null) {
      const message =
        'The play is stored and will go on when it is its turn. Redis, which knows the workers, does not answer now.';
      return answer(play, { ...common, message }).view;
    }
    const { limit, workers } = known;
    if (workers === 0) {
      const which = label === null ? 'No worker gives' : `It waits for a worker labelled "${label}": none gives`;
      const message = `${which} signs of life. The play goes on as soon as one does.`;
      return answer(play, { ...common, reason: 'no_worker', message }).view;
    }
    if (turn === 'handOut') {
      return answer(play, { ...common, message: 'The play is handed out: a worker has it, or takes it next.' }).view;
    }
    const ahead = await (turn === 'due' ? this.ahead.due(scope, play, now) : this.ahead.waiting(scope, play));
    const figures = figuresOf(ahead, limit);
    const message = `The company has as many plays at work as its window holds (${limit}): this one waits for its turn${placeOf(figures)}.`;
    return answer(play, { ...common, reason: 'window', ...figures, message }).view;
  }

  private async turnInQueue(
    scope: TenantScope,
    play: WaitingPlay,
    queue: string,
    common: { since: string },
  ): Promise<WaitingView> {
    const lane = laneOfQueue(queue);
    const [ahead, flow, holders] = await Promise.all([
      this.ahead.inQueue(scope, play, queue),
      lane === null ? this.flows.find(scope, play.flowId) : null,
      lane === null ? [] : this.chains.holdersOf(scope, queue),
    ]);
    const figures = figuresOf(ahead, lane === null ? limitOf(flow?.settings.concurrency ?? null) : 1);
    const waits = `this one waits for its turn${placeOf(figures)}.`;
    const shown = { ...common, ...figures };
    if (lane === null) {
      const ofKey = play.limitKey ? ` of the key "${play.limitKey}"` : '';
      const message = `The flow runs ${figures.limit ?? 'a limited number of'} plays${ofKey} at once: ${waits}`;
      return answer(play, { ...shown, reason: 'gate', message }).view;
    }
    const message = holders.some(isAtStoppedLane)
      ? `The lane "${lane}" is stopped at a play that failed, until somebody retries or skips it: ${waits}`
      : `The lane "${lane}" runs one play at a time: ${waits}`;
    return answer(play, { ...shown, reason: 'lane', message }).view;
  }

  /** What Redis knows. @throws while it is unreachable */
  private async workersNow(label: string | null) {
    const [limit, workers] = await Promise.all([this.workers.windowSizeNow(label), this.workers.list()]);
    return { limit, workers: workersOf(workers, label).length };
  }
}

function destinationSays(found: Pick<DestinationDocument, 'state' | 'nextProbe'> | null): string {
  if (found?.state === 'paused') return 'An editor has paused it, and has to release it.';
  if (found?.state === 'down') return `It is down, and is tried at ${found.nextProbe?.toISOString() ?? 'any time'}.`;
  return found?.state === 'recovering' ? 'It answers again: those that wait are released in waves.' : '';
}

function figuresOf(ahead: number | null, limit: number | null): Figures {
  return { position: ahead === null || ahead >= MAX_AHEAD ? null : ahead + 1, ahead, limit };
}

function placeOf({ position, ahead }: Figures): string {
  if (ahead === null) return '';
  return position === null ? `, after more than ${MAX_AHEAD.toLocaleString('en')} others` : `, as number ${position}`;
}
