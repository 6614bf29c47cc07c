/**
 * Makes the plays of messages. The caller has fixed their ids and stored them, so that a play that is there already, in whatever
 * state, is not made a second time: ADR 131.
 */
import { ERRORS, WeftError } from '@weft/kernel';
import {
  arrivedMessage,
  keyOfDelivery,
  TriggerReading,
  type CompiledTrigger,
  type ComputingDeps,
  type DeliveryLog,
  type PlayAcceptance,
  type RunnableFlow,
  type SentDelivery,
} from '@weft/runs';
import type { TriggerDocument } from '@weft/records';
import { SandboxFailure } from '@weft/sandbox';
import type { SourceKind, SourceMessage } from './source.js';

/** A message and the id that its play has. */
export interface MessageOrder {
  readonly shard: string;
  readonly message: SourceMessage;
  readonly playId: string;
}

/** `later`: it must be tried again. `poison`: no run can be made of it; it is in the log. */
export type MessageOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly error: unknown }
  | { readonly kind: 'poison'; readonly error: WeftError };

export interface MessagePlaysDeps {
  readonly acceptance: Pick<PlayAcceptance, 'acceptUncounted' | 'laneOf'>;
  readonly log: Pick<DeliveryLog, 'keep'>;
  readonly computing: ComputingDeps;
  /** Called with `accepted`, `duplicate` or `skipped`; the log counts the others. */
  readonly onOutcome: (outcome: 'accepted' | 'duplicate' | 'skipped') => void;
}

/** What runs, and by which expressions. */
export interface MessageWork {
  readonly trigger: TriggerDocument;
  readonly compiled: CompiledTrigger;
  readonly kind: Pick<SourceKind, 'read' | 'isUnordered'>;
  readonly flow: RunnableFlow;
}

const NOTHING = Buffer.alloc(0);
const DONE: MessageOutcome = { kind: 'done' };
const NOT_ITS_TURN: MessageOutcome = { kind: 'later', error: null };

export class MessagePlays {
  constructor(private readonly deps: MessagePlaysDeps) {}

  /**
   * Makes the plays of messages that are given in their order. Of one lane, each is inserted when the one before it is stored: a lane
   * takes plays in the order of their inserts.
   */
  async make(work: MessageWork, orders: readonly MessageOrder[]): Promise<readonly MessageOutcome[]> {
    const prepared = await Promise.all(orders.map((order) => this.prepare(work, order)));
    // whose lane is not known could be overtaken
    const unknown = prepared.findIndex((ready) => 'kind' in ready && ready.kind === 'later');
    /** The last message of each lane. */
    const lanes = new Map<string, Promise<MessageOutcome>>();
    return Promise.all(
      prepared.map((ready, i): Promise<MessageOutcome> => {
        if (unknown !== -1 && i > unknown) return Promise.resolve(NOT_ITS_TURN);
        if ('kind' in ready) return Promise.resolve(ready);
        const insert = () => this.insert(work, orders[i] as MessageOrder, ready);
        const { lane } = ready;
        const before = lane === null ? undefined : lanes.get(lane);
        const made = before ? before.then((o) => (o.kind === 'later' ? NOT_ITS_TURN : insert())) : insert();
        if (lane !== null) lanes.set(lane, made);
        return made;
      }),
    );
  }

  /** Logs that messages are gone. @param id of the entry */
  async lose(trigger: TriggerDocument, shard: string, id: string, message: string): Promise<void> {
    const sent = { body: NOTHING, contentType: null, method: 'READ', headers: {}, query: { shard } };
    const error = { code: 'messages_lost', message };
    await this.deps.log.keep(id, trigger, sent, {
      dedupeId: id,
      outcome: 'refused',
      error,
      playId: null,
      replayOf: null,
    });
  }

  private async prepare(work: MessageWork, order: MessageOrder): Promise<MessageOutcome | Prepared> {
    const { trigger, compiled, kind, flow } = work;
    try {
      const { id, name, key = null, version, companyId } = flow;
      const reading = new TriggerReading(
        compiled,
        trigger,
        arrivedMessage(kind.read(order.message)),
        { companyId, flow: { id, name, key, version } },
        this.deps.computing,
      );
      if (!(await reading.holds())) {
        this.deps.onOutcome('skipped');
        return DONE;
      }
      const dedupeId = (await reading.dedupeId()) ?? `${order.shard}:${order.message.id}`;
      const args = await reading.args();
      const lane = await Promise.resolve(this.deps.acceptance.laneOf(flow, { args })).catch(() => null);
      return { args, dedupeId, lane };
    } catch (error) {
      return this.outcomeOf(work, order, error);
    }
  }

  private async insert(work: MessageWork, order: MessageOrder, { args, dedupeId }: Prepared): Promise<MessageOutcome> {
    const { trigger, flow } = work;
    const idempotencyKey = keyOfDelivery(trigger._id, dedupeId);
    const by = { labels: trigger.labels, trigger: 'hook', triggeredBy: trigger.created_by } as const;
    try {
      const { playId } = order;
      const run = await this.deps.acceptance.acceptUncounted(flow, { playId, args, idempotencyKey, ...by });
      this.deps.onOutcome(run.replayed || run.wasThere ? 'duplicate' : 'accepted');
      return DONE;
    } catch (error) {
      return this.outcomeOf(work, order, error);
    }
  }

  private async outcomeOf(work: MessageWork, order: MessageOrder, error: unknown): Promise<MessageOutcome> {
    if (!(error instanceof WeftError) || mayPass(error)) return { kind: 'later', error };
    const { trigger } = work;
    const { message, shard, playId } = order;
    const refused = { dedupeId: `${shard}:${message.id}`, outcome: 'refused', playId: null, replayOf: null } as const;
    try {
      // by the id of its play: one entry, however often the message is read
      const { code, message: says } = error;
      await this.deps.log.keep(playId, trigger, sentAs(message), { ...refused, error: { code, message: says } });
      return { kind: 'poison', error };
    } catch (fault) {
      return { kind: 'later', error: fault };
    }
  }
}

interface Prepared {
  readonly args: Readonly<Record<string, unknown>>;
  readonly dedupeId: string;
  readonly lane: string | null;
}

/** Not a fault of the message: the company has too many plays, a store is unreachable, or the sandbox stops. */
function mayPass({ code, cause }: WeftError): boolean {
  const { status } = ERRORS[code];
  return status >= 500 || status === 429 || (cause instanceof SandboxFailure && cause.code === 'cancelled');
}

/** As the log of deliveries has it. */
function sentAs({ bytes, contentType, headers, about }: SourceMessage): SentDelivery {
  return { body: bytes, contentType, method: 'READ', headers, query: about };
}
