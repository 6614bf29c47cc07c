import { PlayCommands } from '@weft/runs';
import { Injectable } from '@nestjs/common';
import type { Command, Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  PlayReadsRepository,
  TenantScope,
  type AuditAction,
  type AuditChange,
  type AuditEntryInput,
} from '@weft/store';
import { actorEntry, type Doer } from '../audit/actor-entry.js';
import type { RequestOrigin } from '../http/request-origin.js';

/** A command on a play, and its action in the audit log. */
export interface PlayOrder {
  readonly command: Command;
  readonly action: AuditAction;
  readonly reason?: string | null;
  readonly changes?: Readonly<Record<string, AuditChange>>;
}

/** Carries out what callers want of one play, with its audit entry. */
@Injectable()
export class PlayCommander {
  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly commands: PlayCommands,
  ) {}

  /**
   * @param order called each time the play was read; it refuses by throwing
   * @returns the play after the command
   * @throws WeftError `illegal_move`, and what `order` throws
   */
  async carryOut(
    caller: Doer,
    origin: RequestOrigin,
    playId: string,
    order: (play: Play | null) => Promise<{ readonly play: Play; readonly order: PlayOrder }>,
  ): Promise<Play> {
    const scope = new TenantScope(caller.companyId);
    const read = () => this.plays.findWithLayers(scope, playId);
    const applied = await this.commands.apply<Play>({
      read,
      order: async (found) => {
        const { play, order: wanted } = await order(found);
        return { play, command: wanted.command, entry: auditOf(caller, origin, play, wanted) };
      },
    });
    if (applied.kind === 'refused') throw illegalMove(applied.play, applied.why);
    if (applied.kind !== 'written') throw new WeftError('illegal_move', 'The play keeps changing. Try again.');
    return (await read()) ?? applied.play;
  }
}

export function illegalMove(play: Pick<Play, 'state'>, why: string): WeftError {
  return new WeftError('illegal_move', why, { extra: { state: play.state } });
}

export function auditOf(
  caller: Doer,
  origin: RequestOrigin,
  play: Pick<Play, '_id' | 'company_id'>,
  { action, reason, changes }: Omit<PlayOrder, 'command'>,
): AuditEntryInput {
  const subject = {
    collection: 'plays',
    resource_type: 'play',
    resource_id: play._id,
    company_id: play.company_id,
  };
  return { ...actorEntry({ caller, origin }, action, subject, changes), reason };
}
