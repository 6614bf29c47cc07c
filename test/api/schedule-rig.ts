import { FlowCache, OnBehalf, PlayAcceptance, type AcceptedRun } from '@weft/acceptance';
import type { Play } from '@weft/engine';
import { GrantCache, MemberSource } from '@weft/identity';
import { createIdSource } from '@weft/kernel';
import {
  COMPANIES,
  FLOWS,
  FlowRepository,
  GrantRepository,
  Mongo,
  MongoPlayStore,
  PLAYS,
  ProcessCache,
  SCHEDULES,
  ScheduleFiringRepository,
  SystemScope,
  USERS,
  ensureIndexes,
  type FlowDocument,
  type ScheduleDocument,
  type UserDocument,
} from '@weft/persistence';
import { Doorbell, QueueKeys, openRedis } from '@weft/queue';
import { liveMongo, liveRedis } from '@weft/testing';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { ScheduleFirer } from '../../apps/scheduler/src/schedules/schedule-firer.js';

const SETTINGS = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
const MINUTE_MS = 60_000;

export interface FirerOptions {
  /** How wrong the process' idea of the time is. */
  readonly skewMs?: number;
  /** Plays that may wait; default many. */
  readonly backlogMax?: number;
  /** Dies in place of making one more play than that; default never. */
  readonly makes?: number;
  /** Dies in place of writing that slots' plays are stored. */
  readonly diesBeforeSettling?: boolean;
}

class MortalAcceptance extends PlayAcceptance {
  constructor(
    parts: ConstructorParameters<typeof PlayAcceptance>[0],
    private makes: number,
  ) {
    super(parts);
  }
  override accept(...args: Parameters<PlayAcceptance['accept']>): Promise<AcceptedRun> {
    this.makes -= 1;
    return this.makes < 0 ? Promise.reject(new Error('killed')) : super.accept(...args);
  }
}

class MortalRepository extends ScheduleFiringRepository {
  constructor(
    mongo: Mongo,
    scope: SystemScope,
    private readonly time: () => Date,
    private readonly diesBeforeSettling: boolean,
  ) {
    super(mongo, scope);
  }
  override serverTime(): Promise<Date> {
    return Promise.resolve(this.time());
  }
  override settleAll(...args: Parameters<ScheduleFiringRepository['settleAll']>): Promise<void> {
    if (this.diesBeforeSettling && args[0].length > 0) return Promise.reject(new Error('killed'));
    return super.settleAll(...args);
  }
}

/** Schedulers as far as they fire schedules, on one live database whose clock stands where the spec puts it. */
export async function scheduleRig() {
  const server = liveMongo();
  const queue = liveRedis();
  const mongo = await Mongo.open({ uri: server.uri, db: server.db, appName: 'test' });
  await ensureIndexes(mongo);
  const redis = openRedis(queue.url, 'commands', 'test');
  const keys = new QueueKeys(queue.prefix, 1);
  const doorbell = new Doorbell(redis, keys, { ringByMs: 5_000 });
  afterAll(async () => {
    await doorbell.close();
    redis.disconnect();
    await mongo.close();
  });
  const newId = createIdSource(Date.now, 7);
  const state = {
    /** Half past a minute that is not over. */
    now: new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + 1.5 * MINUTE_MS),
    monotonicMs: 0,
    faults: [] as unknown[],
    ends: [] as string[],
  };
  const clock = { monotonicMs: () => state.monotonicMs };
  const memory = new ProcessCache({ maxBytes: 1_000_000, onEvicted: () => undefined, ...clock });
  const bus = { on: () => () => undefined };
  const schedules = mongo.collection<ScheduleDocument>(SCHEDULES);
  const plays = mongo.collection<Play>(PLAYS);

  function firer(options: FirerOptions = {}): ScheduleFirer {
    const { skewMs = 0, backlogMax = 100_000, makes = Infinity, diesBeforeSettling = false } = options;
    const skewed = Object.create(mongo, {
      serverNow: { value: () => state.now.getTime() + skewMs },
    }) as Mongo;
    const scope = new SystemScope('spec');
    const flows = new FlowCache(new FlowRepository(mongo), clock, bus, memory);
    const store = new MongoPlayStore(skewed, { outcomePatienceMs: 0 });
    return new ScheduleFirer({
      schedules: new MortalRepository(mongo, scope, () => state.now, diesBeforeSettling),
      acceptance: new MortalAcceptance(
        {
          settings: { run: { window: 1, backlogMax } },
          ...{ redis, keys, mongo: skewed, flows, store, doorbell },
          notices: { announce: () => undefined } as never,
          log: pino({ level: 'silent' }),
        },
        makes,
      ),
      onBehalf: new OnBehalf({
        ...{ flows, clock },
        members: new MemberSource(mongo),
        grants: new GrantCache(new GrantRepository(mongo), clock),
      }),
      onEnd: (flowId, final) => state.ends.push(`${flowId} ${final}`),
      onFault: (_schedule, error) => state.faults.push(error),
    });
  }

  /** A flow of a company of its own, with an editor who made it. */
  async function flow(fields: Partial<FlowDocument> = {}): Promise<FlowDocument> {
    const [companyId, userId] = [newId(), newId()];
    await mongo.collection<{ _id: string; active: boolean }>(COMPANIES).insertOne({ _id: companyId, active: true });
    const place = { company_id: companyId, role: 'flow_editor' as const, group_ids: [] };
    await mongo.collection<Partial<UserDocument> & { _id: string }>(USERS).insertOne({
      ...{ _id: userId, email: `${userId}@weft.test`, email_key: `${userId}@weft.test` },
      company_roles: [place],
    });
    const document = {
      ...{ _id: newId(), company_id: companyId, version: 1, name: 'flow', enabled: true, isBlueprint: false },
      ...{ restricted: false, groupId: null, when: null, settings: SETTINGS, createdBy: userId, filteredAt: null },
      ...{ createdAt: state.now, updatedAt: state.now, layers: [], category: '', description: '', blueprintId: null },
      ...fields,
    } satisfies FlowDocument;
    await mongo.collection<FlowDocument>(FLOWS).insertOne(document);
    return document;
  }

  /** One of every minute, whose first slot was so many minutes ago: `1` is the one of this minute. */
  async function schedule(
    { _id: flow_id, company_id, createdBy: created_by }: FlowDocument,
    minutesAgo: number,
    fields: Partial<ScheduleDocument> = {},
  ): Promise<string> {
    const nextSlot = new Date((Math.floor(state.now.getTime() / MINUTE_MS) - minutesAgo + 1) * MINUTE_MS);
    const document: ScheduleDocument = {
      ...{ _id: newId(), company_id, flow_id, created_by, created_at: nextSlot, updated_at: nextSlot },
      ...{ schedule: '* * * * *', timezone: 'UTC', args: {}, enabled: true },
      ...{ overlap: 'allow', missed: 'all', missed_window: '1d' },
      ...{ rev: 1, nextSlot, takenUntil: null, attendAt: nextSlot, pending: [], open: [], last: null, rested: false },
      ...fields,
    };
    await schedules.insertOne(document);
    return document._id;
  }

  return {
    ...{ mongo, state, schedules, plays, firer, flow, schedule },
    /** Time goes by, for MongoDB and for what processes remember. */
    pass: (ms: number): void => {
      state.now = new Date(state.now.getTime() + ms);
      state.monotonicMs += ms;
    },
    stored: async (id: string): Promise<ScheduleDocument> => {
      const found = await schedules.findOne({ _id: id });
      if (!found) throw new Error('the schedule is gone');
      return found;
    },
    /** The plays of a flow by their slots, oldest first. */
    playsOf: (flowId: string): Promise<Play[]> => plays.find({ flowId }).sort({ idempotencyKey: 1 }).toArray(),
    end: async (flowId: string): Promise<void> => {
      const state = 'DONE';
      await plays.updateMany({ flowId, state: { $ne: 'SKIP' } }, [
        {
          $set: {
            state,
            completedAt: '$$NOW',
            log: { $concatArrays: ['$log', [{ type: 'state', state: 'RUN', at: '$createdAt' }]] },
          },
        },
      ]);
    },
  };
}
