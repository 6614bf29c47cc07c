/**
 * Reads the source of one trigger for as long as this process has its lease. Of each batch:
 *
 * 1. Note the ids of its plays, before any is made. A reader that comes later gives the same messages the same ids.
 * 2. Make the plays. One that is there already is not made again, also when it has failed or was skipped since.
 * 3. Note where the shard is read on. Only then the source forgets the messages.
 *
 * A process may die, or stand still, after each step; each note is refused once another process reads (`holder`).
 */
import { createIdSource, idsFrom } from '@weft/kernel';
import { compileTrigger, type ScheduledRunAuthorizer } from '@weft/runs';
import { TenantScope, type SystemScope } from '@weft/store';
import type {
  PendingMessages,
  ReadingNews,
  ShardReading,
  SourceTriggersRepository,
  TriggerDocument,
} from '@weft/records';
import type { SourceType } from '@weft/shapes';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageOrder, MessageOutcome, MessagePlays, MessageWork } from './message-plays.js';
import {
  SourceChanged,
  SourceFault,
  type Source,
  type SourceBatch,
  type SourceKind,
  type SourceMessage,
} from './source.js';

export interface SourceReaderDeps {
  readonly triggers: SourceTriggersRepository;
  readonly authorizer: Pick<ScheduledRunAuthorizer, 'eligibilityOf'>;
  readonly plays: Pick<MessagePlays, 'make' | 'lose'>;
  readonly kindOf: (type: SourceType) => SourceKind;
  readonly serverNow: () => number;
  /** Something other than the source failed; it is tried again. */
  readonly onFault: (error: unknown) => void;
}

const PAUSE_MS = { full: 1_000, resting: 5_000, fault: 1_000, mostFault: 60_000 };
/** Batches without an end that are remembered: each is of a process that died. */
const MOST_OLDER = 10;
/** So often it says how far it is while nothing changes. */
const NEWS_EVERY_MS = 5_000;

/** Another process reads, or the trigger is not enabled any more. */
class NotOurs extends Error {}
export class SourceReader {
  private shards = new Map<string, ShardReading>();
  private lastMessageAt: Date | undefined;
  private wellAt: Date;
  private lastLag = 0;
  private rests = false;
  private toldAt = -Infinity;
  private told = '';

  constructor(
    private readonly of: { readonly triggerId: string; readonly holder: string },
    private readonly all: SystemScope,
    private readonly deps: SourceReaderDeps,
  ) {
    this.wellAt = new Date(deps.serverNow());
  }

  /** Messages that were not read when somebody last knew. */
  get lag(): number {
    return this.lastLag;
  }

  /** For how long nothing was accepted, and it is not known that nothing waits. One that rests or was stopped is not stuck. */
  get stuckMs(): number {
    return this.rests ? 0 : Math.max(0, this.deps.serverNow() - this.wellAt.getTime());
  }

  /** Resolves when the signal is aborted, or the trigger is no longer this reader's. */
  async run(signal: AbortSignal): Promise<void> {
    let faults = 0;
    while (!signal.aborted) {
      try {
        await this.read(signal, () => (faults = 0));
      } catch (error) {
        if (signal.aborted || error instanceof NotOurs) return;
        if (error instanceof SourceChanged) continue;
        faults += 1;
        if (!(error instanceof SourceFault)) this.deps.onFault(error);
        await pause(Math.min(PAUSE_MS.fault * 2 ** (faults - 1), PAUSE_MS.mostFault), signal);
      }
    }
  }

  /** From the cursors that are stored, until something happens. */
  private async read(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { triggers, kindOf } = this.deps;
    const trigger = await triggers.begin(this.all, this.of.triggerId, this.of.holder);
    if (!trigger?.type) throw new NotOurs();
    this.shards = new Map(Object.entries(trigger.reading?.shards ?? {}));
    this.told = '';
    const kind = kindOf(trigger.type);
    const compiled = compileTrigger(trigger, trigger.dedupe ? [trigger.dedupe] : []);
    let source: Source | undefined;
    try {
      for (;;) {
        const flow = await this.flowOf(trigger, signal);
        source ??= await this.open(trigger, kind, signal);
        const batch = await source.next(signal);
        signal.throwIfAborted();
        if (batch) await this.take({ trigger, compiled, kind, flow }, batch, source, signal);
        onProgress();
        this.wellAt = new Date(this.deps.serverNow());
        await this.tell(trigger, { state: 'reading', error: null, lag: source.lag() });
      }
    } catch (error) {
      if (error instanceof SourceFault) await this.tellFault(trigger, error);
      throw error;
    } finally {
      await source?.close().catch(this.deps.onFault);
    }
  }

  private async open(trigger: TriggerDocument, kind: SourceKind, signal: AbortSignal): Promise<Source> {
    const cursors = new Map([...this.shards].map(([shard, { cursor }]) => [shard, cursor]));
    const source = await kind.open({ trigger, cursors, signal });
    try {
      const begun = [...source.begins].map(([shard, cursor]) => [shard, { cursor }] as const);
      if (begun.length > 0) await this.write(trigger, {}, Object.fromEntries(begun));
      for (const [shard, reading] of begun) this.shards.set(shard, reading);
      return source;
    } catch (error) {
      await source.close().catch(this.deps.onFault);
      throw error;
    }
  }

  /** Waits while the flow cannot run for the trigger's user. */
  private async flowOf(trigger: TriggerDocument, signal: AbortSignal): Promise<MessageWork['flow']> {
    const { company_id: companyId, flow_id: flowId, created_by: userId } = trigger;
    for (;;) {
      signal.throwIfAborted();
      const judged = await this.deps.authorizer.eligibilityOf({ companyId, flowId, userId, maker: 'trigger' });
      if (judged.blockedReason === null) return judged.flow;
      await this.tell(trigger, { state: 'paused', error: { code: 'denied', message: judged.blockedReason } });
      await pause(PAUSE_MS.resting, signal);
    }
  }

  private async take(work: MessageWork, batch: SourceBatch, source: Source, signal: AbortSignal): Promise<void> {
    const { trigger, kind } = work;
    const made = new Set<string>();
    const older = () => (kind.isUnordered ? openOf(this.shards.get(batch.shard), made) : []);
    if (batch.lost !== undefined) await this.deps.plays.lose(trigger, batch.shard, this.newFirstId(), batch.lost);
    for (const { messages, pending } of this.portionsOf(batch)) {
      if (!pending.isStored) await this.note(trigger, batch.shard, { pending, older: older() });
      await this.makeAll(work, batch.shard, messages, pending, signal);
      for (const { id } of messages) made.add(id);
    }
    this.lastMessageAt = batch.messages.at(-1)?.at ?? this.lastMessageAt;
    await this.note(trigger, batch.shard, { cursor: batch.next, older: older() });
    await source.accepted(batch);
  }

  /** Messages that a reader before this one had fixed ids for keep them; the others get new ones. */
  private portionsOf({ shard, messages }: SourceBatch): readonly Portion[] {
    const { pending, older = [] } = this.shards.get(shard) ?? {};
    const stored = pending ? [...older, pending] : older;
    const portions: { messages: SourceMessage[]; known: PendingMessages | undefined }[] = [];
    for (const message of messages) {
      const known = stored.find(({ ids }) => ids.includes(message.id));
      const last = portions.at(-1);
      if (last && last.known === known) last.messages.push(message);
      else portions.push({ messages: [message], known });
    }
    return portions.map(({ messages: of, known }) => ({
      messages: of,
      pending: known
        ? { ...known, isStored: true }
        : { firstPlayId: this.newFirstId(), ids: of.map(({ id }) => id), isStored: false },
    }));
  }

  /** Of a maker of its own, so that the ids that follow it are nobody else's. */
  private newFirstId(): string {
    return createIdSource(() => Math.floor(this.deps.serverNow()), randomInt(2 ** 32))();
  }

  /** Tries until there is a play of each, or it is known that there can be none. */
  private async makeAll(
    work: MessageWork,
    shard: string,
    messages: readonly SourceMessage[],
    { firstPlayId, ids }: PendingMessages,
    signal: AbortSignal,
  ): Promise<void> {
    const playIds = idsFrom(firstPlayId, ids.length);
    let left = messages.map((message): MessageOrder => {
      return { shard, message, playId: playIds[ids.indexOf(message.id)] as string };
    });
    let { flow } = work;
    for (;;) {
      const outcomes = await this.deps.plays.make({ ...work, flow }, left);
      const poison = outcomes.findIndex(({ kind }) => kind === 'poison');
      if (poison !== -1 && work.trigger.source?.onPoison === 'stop')
        await this.stopAt(work, left, outcomes, poison, signal);
      left = left.filter((_, i) => outcomes[i]?.kind === 'later');
      if (left.length === 0) return;
      const fault = outcomes.find((outcome) => outcome.kind === 'later' && outcome.error !== null);
      await this.wait(work.trigger, fault, signal);
      flow = await this.flowOf(work.trigger, signal);
    }
  }

  private async wait(
    trigger: TriggerDocument,
    outcome: MessageOutcome | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const error = outcome?.kind === 'later' ? outcome.error : null;
    const { code = 'internal' } = (error ?? {}) as { readonly code?: string };
    if (code !== 'backlog_full') this.deps.onFault(error);
    const message = code === 'backlog_full' ? (error as Error).message : 'Plays cannot be stored now.';
    await this.tell(trigger, { state: 'paused', error: { code, message } }).catch((fault: unknown) => {
      if (fault instanceof NotOurs || fault instanceof SourceChanged) throw fault;
    });
    await pause(PAUSE_MS.full, signal);
  }

  /** Reads no further until somebody changes the trigger. The messages before the poisonous one are accepted. */
  private async stopAt(
    work: MessageWork,
    orders: readonly MessageOrder[],
    outcomes: readonly MessageOutcome[],
    at: number,
    signal: AbortSignal,
  ): Promise<never> {
    const before = outcomes.slice(0, at).findIndex(({ kind }) => kind === 'later');
    const last = orders[(before === -1 ? at : before) - 1];
    const { trigger } = work;
    const { shard, message } = orders[at] as MessageOrder;
    if (last) await this.note(trigger, shard, { cursor: last.message.next, keepsPending: true });
    const outcome = outcomes[at];
    const why = outcome?.kind === 'poison' ? outcome.error : null;
    const error = {
      code: why?.code ?? 'internal',
      message: `No run can be made of the message ${message.id} of ${shard}: ${why?.message ?? ''}`,
    };
    for (;;) {
      signal.throwIfAborted();
      await this.tell(trigger, { state: 'stopped', error });
      await pause(PAUSE_MS.resting, signal);
    }
  }

  private async tellFault(trigger: TriggerDocument, { code, message }: SourceFault): Promise<void> {
    await this.tell(trigger, { state: 'failing', error: { code, message } });
  }

  private async note(
    trigger: TriggerDocument,
    shard: string,
    now: {
      readonly cursor?: string;
      readonly pending?: PendingMessages;
      readonly keepsPending?: boolean;
      readonly older?: readonly PendingMessages[];
    },
  ): Promise<void> {
    const { cursor = '', pending, older: before = [] } = this.shards.get(shard) ?? {};
    const { older = now.keepsPending ? before : [] } = now;
    const kept = now.pending ?? (now.keepsPending ? pending : undefined);
    const reading: ShardReading = {
      cursor: now.cursor ?? cursor,
      ...(kept && { pending: { firstPlayId: kept.firstPlayId, ids: kept.ids } }),
      ...(older.length > 0 && { older }),
    };
    await this.write(trigger, {}, { [shard]: reading });
    this.shards.set(shard, reading);
  }

  /** Says how it is: at once what is new, the rest now and then. */
  private async tell(trigger: TriggerDocument, news: ReadingNews): Promise<void> {
    this.rests = news.error?.code === 'denied' || news.state === 'stopped';
    this.lastLag = news.lag ?? this.lastLag;
    const now = performance.now();
    const told = JSON.stringify([news.state, news.error]);
    if (told === this.told && now - this.toldAt < NEWS_EVERY_MS) return;
    const last = this.lastMessageAt && { last_message_at: this.lastMessageAt };
    await this.write(trigger, { ...news, ...last, well_at: this.wellAt });
    this.told = told;
    this.toldAt = now;
    const [stored] = await this.deps.triggers.find(this.all, [trigger._id]);
    if (!stored) throw new NotOurs();
    if (stored.rev !== trigger.rev) throw new SourceChanged();
  }

  private async write(
    trigger: TriggerDocument,
    news: ReadingNews,
    shards: Readonly<Record<string, ShardReading>> = {},
  ): Promise<void> {
    const { company_id, _id } = trigger;
    const of = { _id, holder: this.of.holder };
    if (!(await this.deps.triggers.note(new TenantScope(company_id), of, news, shards))) throw new NotOurs();
  }
}

interface Portion {
  readonly messages: readonly SourceMessage[];
  readonly pending: PendingMessages & { readonly isStored: boolean };
}

/** Whose plays are fixed and perhaps not made: that their messages come again is not known. */
function openOf({ pending, older = [] }: Partial<ShardReading> = {}, made: ReadonlySet<string>): PendingMessages[] {
  return [...older, ...(pending ? [pending] : [])]
    .map(({ firstPlayId, ids }) => ({ firstPlayId, ids: ids.map((id) => (made.has(id) ? '' : id)) }))
    .filter(({ ids }) => ids.some((id) => id !== ''))
    .slice(-MOST_OLDER);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
