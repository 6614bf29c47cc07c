import type { PlayState, PlayTrigger } from '@weft/contracts';
import { acceptPlay, type LayerResult, type LogEntry, type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { FLOWS, PLAYS, type FlowDocument, type Mongo, type TenantScope } from '@weft/persistence';
import { randomInt } from 'node:crypto';

export interface OldPlay {
  readonly flowId?: string;
  /** Since its acceptance. */
  readonly ageMs: number;
  /** Since its end; by default it ended when it was accepted. */
  readonly endedAgoMs?: number;
  /** By default DONE. */
  readonly state?: PlayState;
  readonly trigger?: PlayTrigger;
  readonly parentPlayId?: string;
  readonly layers?: number;
}

/** Plays and flows of a company as they are in the database after a while. */
export function playFixtures(mongo: Mongo, company: TenantScope, nowMs: number) {
  const tag = randomInt(2 ** 32);
  let made = 0;
  const plays = mongo.collection<Play>(PLAYS);
  const newId = createIdSource(Date.now, tag);

  function oldPlay(play: OldPlay): Play {
    made += 1;
    const acceptedAt = new Date(nowMs - play.ageMs);
    const { state = 'DONE', layers = 0, endedAgoMs = play.ageMs } = play;
    const accepted = acceptPlay({
      playId: createIdSource(() => acceptedAt.getTime(), (tag + made) % 2 ** 32)(),
      companyId: company.companyId,
      flowId: play.flowId ?? 'f',
      version: 1,
      args: {},
      idempotencyKey: null,
      dueAt: null,
      trigger: play.trigger ?? 'api',
      triggeredBy: null,
      serverNow: acceptedAt,
    });
    const at = new Date(nowMs - endedAgoMs);
    const isOpen = state === 'WAIT';
    const results = Array.from({ length: layers }, (_, position) => resultAt(position, at));
    const { heartbeatAt: _, ...closed } = accepted;
    const events: Omit<LogEntry, 'seq'>[] = [
      { type: 'state', from: 'NEW', state: 'RUN', at } as LogEntry,
      ...results.map(({ position }) => ({ type: 'complete', layer: position, state: 'DONE', at }) as LogEntry),
      ...(isOpen ? [] : [{ type: 'end', state, at } as LogEntry]),
    ];
    const log = events.map((event, i) => ({ ...event, seq: i + 1 }) as LogEntry);
    return {
      ...closed,
      ...(play.parentPlayId !== undefined && { parentPlayId: play.parentPlayId }),
      ...(!isOpen && { completedAt: at }),
      state,
      seq: log.length,
      cursor: layers,
      layers: results,
      log,
    };
  }

  return {
    newId,

    /** @returns their ids, in order */
    async plays(count: number, play: OldPlay): Promise<string[]> {
      const documents = Array.from({ length: count }, () => oldPlay(play)).sort((a, b) => (a._id < b._id ? -1 : 1));
      await plays.insertMany(documents);
      return documents.map(({ _id }) => _id);
    },

    /** An open one ends. */
    async end(playId: string, agoMs: number): Promise<void> {
      await plays.updateOne({ _id: playId }, { $set: { state: 'DONE', completedAt: new Date(nowMs - agoMs) } });
    },

    async flow(_id: string, changes: Partial<FlowDocument>): Promise<FlowDocument> {
      const at = new Date(nowMs);
      const flow = {
        _id,
        company_id: company.companyId,
        version: 1,
        name: _id,
        enabled: true,
        category: '',
        description: '',
        isBlueprint: false,
        restricted: false,
        groupId: null,
        when: null,
        settings: {} as FlowDocument['settings'],
        blueprintId: null,
        createdBy: 'u',
        createdAt: at,
        updatedAt: at,
        filteredAt: null,
        layers: [],
        ...changes,
      };
      await mongo.collection<FlowDocument>(FLOWS).insertOne(flow);
      return flow;
    },
  };
}

function resultAt(position: number, at: Date): LayerResult {
  const ref = `layer-${position}`;
  const times = { startedAt: at, completedAt: at };
  return { position, ref, name: ref, state: 'DONE', ...times, out: { a: 1 }, outBytes: 7, attempts: 1, by: 'w' };
}
