import { ProcessCache } from '@weft/concurrency';
import { FlowCache, ScheduledRunAuthorizer, openRunPath, PlayAcceptance } from '@weft/runs';
import type { Play } from '@weft/engine';
import { GrantCache, MemberSource } from '@weft/identity';
import { createIdSource } from '@weft/kernel';
import {
  COMPANIES,
  ChildPlaysRepository,
  CompanyRepository,
  FLOWS,
  FlowRepository,
  GrantRepository,
  Mongo,
  PLAYS,
  SCHEDULES,
  ScheduleFiringRepository,
  SystemScope,
  USERS,
  UserRepository,
  ensureIndexes,
  type FlowDocument,
  type ScheduleDocument,
  type UserDocument,
} from '@weft/persistence';
import { Doorbell } from '@weft/queue';
import { liveMongo, liveRedis } from '@weft/testing';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { ScheduleFirer } from '../../apps/scheduler/src/schedules/schedule-firer.js';
import { Metrics, Tracing } from '@weft/observability';
import { openRedis } from '@weft/redis';
import { Sandbox } from '@weft/sandbox';

const SETTINGS = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
const MINUTE_MS = 60_000;

export interface FirerOptions {
  /** By how much the clock of the process is wrong. */
  readonly skewMs?: number;
  /** Plays that may wait; default many. */
  readonly backlogMax?: number;
  /** Dies instead of creating more plays than this; default never. */
  readonly makes?: number;
  /** Dies instead of recording that the plays of slots are stored. */
  readonly diesBeforeSettling?: boolean;
}

/** Accepts that many plays, then fails. */
function mortal(acceptance: PlayAcceptance, makes: number): PlayAcceptance {
  let left = makes;
  const accept: PlayAcceptance['accept'] = (flow, ask) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : acceptance.accept(flow, ask);
  };
  return Object.assign(Object.create(acceptance) as PlayAcceptance, { accept });
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

/** The part of schedulers that fires schedules, on one live database whose clock the spec sets. */
export async function scheduleRig() {
  const server = liveMongo();
  const queue = liveRedis();
  const mongo = await Mongo.open({ uri: server.uri, db: server.db, appName: 'test' });
  await ensureIndexes(mongo);
  const redis = openRedis(queue.url, 'commands', 'test');
  const metrics = new Metrics();
  const sandbox = new Sandbox();
  const doorbells: Doorbell[] = [];
  afterAll(async () => {
    await Promise.all(doorbells.map((doorbell) => doorbell.close()));
    await sandbox.close();
    metrics.close();
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
    const path = openRunPath({
      settings: { run: { window: 1, backlogMax }, queue: { prefix: queue.prefix, shards: 1 } },
      ...{ redis, mongo: skewed, flows, metrics, sandbox },
      notices: { announce: () => undefined } as never,
      signals: { publish: () => undefined } as never,
      children: new ChildPlaysRepository(mongo),
      figures: { ended: () => undefined },
      log: pino({ level: 'silent' }),
      tracing: Tracing.OFF,
      outcomePatienceMs: 0,
    });
    doorbells.push(path.doorbell);
    return new ScheduleFirer({
      schedules: new MortalRepository(mongo, scope, () => state.now, diesBeforeSettling),
      acceptance: mortal(path.acceptance, makes),
      authorizer: new ScheduledRunAuthorizer({
        ...{ flows, clock },
        members: new MemberSource(new UserRepository(mongo), new CompanyRepository(mongo)),
        grants: new GrantCache(new GrantRepository(mongo), clock),
      }),
      onEnd: (flowId, final) => state.ends.push(`${flowId} ${final}`),
      onFault: (_schedule, error) => state.faults.push(error),
    });
  }

  /** A flow in a separate company, created by an editor. */
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

  /** A schedule for every minute whose first slot was this many minutes ago: `1` is the slot of this minute. */
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
    /** Advances the time, for MongoDB and for the caches of processes. */
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
