import { Injectable } from '@nestjs/common';
import { isFinal } from '@weft/contracts';
import type { Play } from '@weft/engine';
import type { Drainable } from '@weft/kernel';
import { PlayReadsRepository, TenantScope } from '@weft/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlayRights } from '../plays/play-rights.js';
import { RunOutcomes } from '../plays/run/run-outcomes.js';
import { RunService } from '../plays/run/run.service.js';
import type { ToolCall } from './tool.js';

/** Clients give up after 60 s or less. */
const WAIT_MS = 25_000;
const LOOK_EVERY_MS = 1_000;
/** Calls of one company that look for news at once in this process; the next one is answered as things are. */
const MAX_LOOKING = 100;

/** Waits for plays no longer than clients do. The play goes on, whatever becomes of the wait. */
@Injectable()
export class PlayWaits implements Drainable {
  private readonly looking = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly rights: PlayRights,
    private readonly outcomes: RunOutcomes,
    private readonly runs: RunService,
  ) {}

  /** @throws WeftError `not_found`, `denied` */
  async wait(playId: string, since: number | undefined, call: ToolCall): Promise<object> {
    const { caller, access } = call;
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.find(scope, playId));
    access.assertFlow(play.flowId);
    if (since === undefined || isFinal(play.state)) return this.outcome(play, call);
    await this.untilAfter(scope, playId, since, call.gone);
    return this.outcome(play, call, 1);
  }

  /** How it ended, within the time; else how far it has come. */
  async outcome(
    play: Pick<Play, '_id' | 'company_id' | 'state' | 'flowId' | 'triggeredBy'>,
    call: ToolCall,
    waitMs = WAIT_MS,
  ): Promise<object> {
    const { caller, gone } = call;
    const scope = new TenantScope(caller.companyId);
    const ended = await this.outcomes.within({ play, replayed: true }, waitMs, gone);
    const { seq = 0, state = play.state } = (await this.plays.findProgress(scope, play._id)) ?? {};
    // it ended between the two reads
    if (!ended && isFinal(state) && !isFinal(play.state)) return this.outcome({ ...play, state }, call, waitMs);
    if (!ended) return { playId: play._id, state: state === 'NEW' ? 'RUN' : state, out: null, error: null, seq };
    const shown = (await this.runs.mayRead(caller, play)) ? ended : { ...ended, out: null, error: null };
    return { ...shown, seq };
  }

  /** Callers are answered as things are, and go on waiting at another replica. */
  drain(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }

  private async untilAfter(scope: TenantScope, playId: string, since: number, gone: AbortSignal): Promise<void> {
    const { companyId } = scope;
    const others = this.looking.get(companyId) ?? 0;
    if (others >= MAX_LOOKING) return;
    this.looking.set(companyId, others + 1);
    try {
      await this.look(scope, playId, since, AbortSignal.any([gone, this.stopping.signal]));
    } finally {
      const left = (this.looking.get(companyId) ?? 1) - 1;
      if (left === 0) this.looking.delete(companyId);
      else this.looking.set(companyId, left);
    }
  }

  private async look(scope: TenantScope, playId: string, since: number, over: AbortSignal): Promise<void> {
    const untilMs = performance.now() + WAIT_MS;
    while (!over.aborted && performance.now() < untilMs) {
      const progress = await this.plays.findProgress(scope, playId);
      if (!progress || progress.seq > since || isFinal(progress.state)) return;
      await sleep(LOOK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }
}
