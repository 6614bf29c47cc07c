import type { PlayJob } from '@weft/contracts';
import {
  COMMAND_ATTEMPTS,
  decideCommand,
  needsRoom,
  type Command,
  type CommandTarget,
  type Play,
  type PlayWrite,
} from '@weft/engine';
import { isStoreUnavailable, playKeyOf, type AuditEntryInput, type Mongo, type MongoPlayStore } from '@weft/store';
import type { Doorbell, WindowRoom } from '@weft/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangedPlay, PlayChanges } from './play-changes.js';

export type CommandedPlay = ChangedPlay & CommandTarget;

export interface PlayOrder<P extends CommandedPlay = Play> {
  readonly play: P;
  readonly command: Command;
  /** Stored in one transaction with the write. */
  readonly entry?: AuditEntryInput;
  /** The same of anything else: false declines, and nothing is written. */
  readonly also?: Parameters<MongoPlayStore['writeWith']>[2];
}

export interface PlayCommandInput<P extends CommandedPlay> {
  /** Called again for each attempt. */
  readonly read: () => Promise<P | null>;
  /** What to do with the play as it was read; null: nothing. It throws to refuse. */
  readonly order: (found: P | null) => PlayOrder<P> | null | Promise<PlayOrder<P> | null>;
  /** Plays for which the caller has taken room in their window, for many at once. The caller rings for them, too. */
  readonly room?: ReadonlySet<string>;
}

export type Applied<P extends CommandedPlay> =
  /** `job`: the play continues, and needs a ring. */
  | { readonly kind: 'written'; readonly play: P; readonly write: PlayWrite; readonly job: PlayJob | null }
  | { readonly kind: 'refused'; readonly play: P; readonly why: string }
  /** What was to be stored with it declined. */
  | { readonly kind: 'declined' }
  /** No write was needed. */
  | { readonly kind: 'unchanged' }
  /** Other components changed the play before each attempt to write. */
  | { readonly kind: 'contended' };

export interface PlayCommandsDeps {
  readonly mongo: Pick<Mongo, 'serverNow'>;
  readonly store: Pick<MongoPlayStore, 'write' | 'writeAudited' | 'writeWith'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly windowRoom: Pick<WindowRoom, 'take' | 'giveBack'>;
  readonly changes: Pick<PlayChanges, 'written' | 'unanswered'>;
}

/**
 * Carries out commands on plays: reads, decides and writes on the condition of what was read, and starts again if that
 * changed.
 */
export class PlayCommands {
  constructor(private readonly deps: PlayCommandsDeps) {}

  async apply<P extends CommandedPlay>({ read, order, room }: PlayCommandInput<P>): Promise<Applied<P>> {
    const { mongo, windowRoom, doorbell, changes } = this.deps;
    let notBefore = 0;
    for (let attempt = 0; attempt < COMMAND_ATTEMPTS;) {
      const ordered = await order(await read());
      if (!ordered) return { kind: 'unchanged' };
      const { play, command } = ordered;
      const key = playKeyOf(play);
      const at = new Date(Math.max(mongo.serverNow(), notBefore));
      const taken = room
        ? null
        : await windowRoom.take(key.companyId, needsRoom(play, command, at) ? [key.playId] : []);
      const decision = decideCommand(play, command, at, (taken?.ids ?? room)?.has(key.playId));
      if (decision.kind !== 'write' && taken) windowRoom.giveBack(key.companyId, taken);
      if (decision.kind === 'refuse') return { kind: 'refused', play, why: decision.why };
      if (decision.kind === 'later') {
        await sleep(decision.waitMs);
        notBefore = decision.at.getTime();
        continue;
      }
      attempt += 1;
      const askedAtMs = performance.now();
      const { write, ring } = decision;
      const stored = await this.store(ordered, write);
      if (!stored && taken) windowRoom.giveBack(key.companyId, taken);
      if (stored === null) return { kind: 'declined' };
      if (!stored) continue;
      changes.written(play, write);
      const job = ring ? { ...key, epoch: write.set.epoch ?? play.epoch } : null;
      if (job && taken) void doorbell.ring([job], askedAtMs);
      return { kind: 'written', play, write, job };
    }
    return { kind: 'contended' };
  }

  private async store({ play, entry, also }: PlayOrder<CommandedPlay>, write: PlayWrite): Promise<boolean | null> {
    const { store, changes } = this.deps;
    const key = playKeyOf(play);
    try {
      if (also) return await store.writeWith(key, write, also);
      return await (entry ? store.writeAudited(key, write, entry) : store.write(key, write));
    } catch (error) {
      if (isStoreUnavailable(error)) changes.unanswered(play, write);
      throw error;
    }
  }
}
