import type { Role, Scope } from '@weft/access';
import { loadSettings, type Settings } from '@weft/config';
import type { Invalidation } from '@weft/contracts';
import { acceptPlay, numberEvents, type LayerResult, type Play, type PlayEvent } from '@weft/engine';
import { provisionTasks, startProcess, type RunningProcess } from '@weft/process';
import { ApiKeyTokens, hashSessionId, newSessionId } from '@weft/identity';
import { NEW_ID, type NewId } from '@weft/kernel';
import {
  API_KEYS,
  COMPANIES,
  FLOWS,
  GRANTS,
  MAJORITY,
  Mongo,
  MongoPlayStore,
  PLAYS,
  SESSIONS,
  USERS,
  type ApiKeyDocument,
  type CompanyDocument,
  type CompanyRole,
  type FlowDocument,
  type GrantDocument,
  type SessionDocument,
  type UserDocument,
} from '@weft/persistence';
import { InvalidationBus, PlayNotices, noticeJournal } from '@weft/realtime-bus';
import { liveMongo, liveRedis, processEnv, socketClient, TEST_ADMIN, type SocketClient } from '@weft/testing';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { LiveStreams } from '../../apps/realtime/src/live-streams.js';
import { RealtimeModule } from '../../apps/realtime/src/realtime.module.js';
import { founded } from './founded.js';

const DURABLE = { writeConcern: MAJORITY };

/** A message of `/api/ws`. */
export interface CompanyMessage {
  readonly cursor: string;
  readonly playId: string;
  readonly flowId: string;
  readonly ref: string | null;
  readonly state: string;
  readonly out: unknown;
  readonly seq: number;
  readonly timestamp: string;
}

interface SocketHeaders {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Short enough for tests to wait for each. */
const SHORT: Settings['websocket'] = { pingPeriodSeconds: 0.4, readDeadlineSeconds: 2, writeDeadlineSeconds: 1 };
/** Timers never fire during a test. */
export const NO_PINGS: Settings['websocket'] = {
  ...{ pingPeriodSeconds: 3_600, readDeadlineSeconds: 7_200, writeDeadlineSeconds: 3_600 },
};

export interface GatewayOptions {
  readonly websocket?: Settings['websocket'];
  readonly redisUrl?: string;
}

/** A realtime process on live servers, and what its tests do to the plays and the people of one company. */
export async function openRig({ websocket = SHORT }: GatewayOptions = {}) {
  const database = liveMongo();
  const bus = liveRedis();
  const env = processEnv({
    mongodbUri: database.uri,
    mongodbDb: database.db,
    redisUrl: bus.url,
    queuePrefix: bus.prefix,
  });
  const settings: Settings = {
    ...loadSettings({ ...env, SERVER_PORT: '3000' }, { standalone: false }),
    websocket,
  };
  await founded({ mongodbUri: database.uri, mongodbDb: database.db });
  const main = await startGateway(settings);
  const { app, port } = main;
  afterAll(() => main.stop());
  const mongo = app.get(Mongo);
  const newId = app.get<NewId>(NEW_ID);
  const invalidations = app.get(InvalidationBus);
  const notices = app.get(PlayNotices);
  const tokens = app.get(ApiKeyTokens, { strict: false });
  const plays = mongo.collection<Play>(PLAYS);
  const store = new MongoPlayStore(mongo, { outcomePatienceMs: 1_000 });
  const users = mongo.collection<UserDocument>(USERS);
  const companies = mongo.collection<CompanyDocument>(COMPANIES);
  const sessions = mongo.collection<SessionDocument>(SESSIONS);
  const apiKeys = mongo.collection<ApiKeyDocument>(API_KEYS);
  const flows = mongo.collection<FlowDocument>(FLOWS);
  const grants = mongo.collection<GrantDocument>(GRANTS);
  let isTold = true;
  const tell = (what: Invalidation): void => {
    if (isTold) invalidations.publish(what);
  };

  const admin = await users.findOne({ email: TEST_ADMIN.email });
  if (!admin) throw new Error('the first admin is not there');
  const companyId = admin.company_roles[0]?.company_id ?? '';
  const { cookie } = await signIn(admin._id);
  const keys: string[] = [];
  const flowId = await addFlow({});

  async function signIn(UserID: string, CompanyID = companyId, lastsMs = 600_000) {
    const sid = newSessionId();
    const now = new Date();
    const times = { CreatedAt: now, LastActivity: now, ExpiresAt: new Date(now.getTime() + lastsMs) };
    const who = { UserID, CompanyID, UserAgent: 'spec', IPAddress: '127.0.0.1' };
    const session = { _id: newId(), SessionHash: hashSessionId(sid), ...who, ...times };
    await sessions.insertOne(session, DURABLE);
    return { cookie: `sid=${sid}`, sessionId: session._id };
  }

  async function addFlow(over: Partial<FlowDocument>): Promise<string> {
    const rights = { createdBy: admin?._id ?? '', groupId: null, restricted: false, filteredAt: null };
    const about = {
      name: 'Watched',
      enabled: true,
      category: '',
      description: '',
      isBlueprint: false,
      blueprintId: null,
    };
    const times = { createdAt: new Date(), updatedAt: new Date() };
    const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
    const flow = { _id: newId(), company_id: companyId, version: 1, when: null, layers: [], settings };
    await flows.insertOne({ ...flow, ...about, ...times, ...rights, ...over }, DURABLE);
    return flow._id;
  }

  return {
    cookie,
    /** Of a session whose time is over, though its record is there. */
    expiredCookie: async () => (await signIn(admin._id, companyId, -1_000)).cookie,
    /** Runs a change as if each message about it were lost. */
    untold: async (work: () => Promise<unknown>) => {
      isTold = false;
      await work();
      isTold = true;
    },
    origin: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,

    watch: (path: string, { headers = { cookie } }: SocketHeaders = {}): SocketClient =>
      socketClient(`ws://127.0.0.1:${port}/ws/plays/${path}`, { headers }),

    /** @param query of `/api/ws`, with its question mark */
    follow: (query = '', { headers = { cookie } }: SocketHeaders = {}) =>
      socketClient<CompanyMessage>(`ws://127.0.0.1:${port}/api/ws${query}`, { headers }),

    flow: addFlow,

    async play(over: Partial<Play> = {}): Promise<string> {
      const run = { version: 1, args: {}, idempotencyKey: null, dueAt: null, trigger: 'api' as const };
      const ids = { playId: newId(), companyId, flowId, triggeredBy: admin._id };
      const play = { ...acceptPlay({ ...run, ...ids, serverNow: new Date() }), ...over };
      await plays.insertOne(play, DURABLE);
      return play._id;
    },

    /** One write of a worker, and its notice. */
    async write(
      playId: string,
      events: readonly PlayEvent[],
      layers: readonly LayerResult[] = [],
      announced = true,
      set: Partial<Play> = {},
    ) {
      const { seq, epoch, state, company_id, flowId: of } = await stored(playId);
      await store.write(
        { playId, companyId: company_id, flowId: of },
        {
          match: { epoch, seq, states: [state] },
          set: { state: 'RUN', ...set, seq: seq + events.length },
          ...{ unset: [], touch: [], layers, log: numberEvents(seq, events) },
        },
      );
      if (announced) notices.announce(company_id, playId, seq + events.length, noticeJournal(await stored(playId)));
    },

    stored,
    deletePlay: (playId: string) => plays.deleteOne({ _id: playId }, DURABLE),

    async key(scope: readonly Scope[]): Promise<string> {
      const seconds = Math.floor(Date.now() / 1_000);
      const expires_at = new Date((seconds + 600) * 1_000);
      const people = { user_id: admin._id, company_id: companyId, created_by: admin._id };
      const times = { created_at: new Date(), expires_at, revoked_at: null, last_used_at: null };
      const key = { _id: newId(), name: 'spec', scope, ...people, ...times };
      await apiKeys.insertOne(key, DURABLE);
      keys.push(key._id);
      const whose = { sub: admin._id, company_id: companyId, key_id: key._id };
      return tokens.sign({ ...whose, scope, iat: seconds, exp: seconds + 600 });
    },

    async revokeKeys(): Promise<void> {
      await apiKeys.updateMany({}, { $set: { revoked_at: new Date() } }, DURABLE);
      for (const id of keys) tell({ kind: 'api-key', id });
    },

    async user(role: Role) {
      const id = newId();
      const email = `${id}@weft.test`;
      const company_roles = [{ company_id: companyId, role, group_ids: [] }];
      await users.insertOne({ ...admin, _id: id, email, email_key: email, operator: false, company_roles }, DURABLE);
      const signedIn = await signIn(id);
      return {
        cookie: signedIn.cookie,
        /** Grants the right to read one flow, whatever the role; returns a function that revokes it. */
        grant: async (flow: string) => {
          const what = { ResourceType: 'flow', ResourceID: flow, ResourceCreatedBy: 'somebody-else' } as const;
          const whom = { CompanyID: companyId, GrantType: 'user', GranteeID: id } as const;
          const by = { CreatedBy: 'somebody-else', CreatedAt: new Date() };
          const grant: GrantDocument = { _id: newId(), ...what, ...whom, ...by, Permissions: ['read'] };
          await grants.insertOne(grant, DURABLE);
          tell({ kind: 'grants', id });
          return async () => {
            await grants.deleteOne({ _id: grant._id }, DURABLE);
            tell({ kind: 'grants', id });
          };
        },
        /** Another role, or a deactivated membership. */
        become: async (place: Partial<CompanyRole>) => {
          const company_roles = [{ company_id: companyId, role, group_ids: [], ...place }];
          await users.updateOne({ _id: id }, { $set: { company_roles } }, DURABLE);
          tell({ kind: 'user', id });
        },
        /** As `switch-company` does; gives the new cookie. */
        switchTo: async (otherId: string) => {
          const first = await companies.findOne({ _id: companyId });
          if (first) await companies.insertOne({ ...first, _id: otherId, name: otherId }, DURABLE);
          const place = { company_id: otherId, role: 'viewer' as const, group_ids: [] };
          await users.updateOne({ _id: id }, { $push: { company_roles: place } }, DURABLE);
          await sessions.deleteOne({ _id: signedIn.sessionId }, DURABLE);
          tell({ kind: 'session', id: signedIn.sessionId });
          return (await signIn(id, otherId)).cookie;
        },
        endSession: async () => {
          await sessions.deleteOne({ _id: signedIn.sessionId }, DURABLE);
          tell({ kind: 'session', id: signedIn.sessionId });
        },
      };
    },

    async restrictFlowOf(playId: string): Promise<void> {
      const { flowId: id } = await stored(playId);
      await flows.updateOne({ _id: id }, { $set: { restricted: true } }, DURABLE);
      tell({ kind: 'flow', id });
    },

    /** @param row name and labels, as on the page */
    async metric(row: string): Promise<number> {
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const line = page.split('\n').find((one) => one.startsWith(`${row} `));
      return Number(line?.slice(row.length) ?? 0);
    },

    /** Publishes on the channel of the company's notices, as anybody with access to Redis can. */
    async publishAsAnyone(message: unknown): Promise<void> {
      const redis = new Redis(bus.url);
      await redis.publish(`${bus.prefix}:plays:${companyId}`, JSON.stringify(message));
      await redis.quit();
    },

    /** Breaks the connection over which gateways receive notices; they reconnect by themselves. */
    async cutSubscriptions(): Promise<void> {
      const redis = new Redis(bus.url);
      const list = String(await redis.call('CLIENT', 'LIST'));
      const ids = list.split('\n').flatMap((one) => (/^id=(\d+) .*name=weft-realtime-bus /.exec(one) ?? []).slice(1));
      for (const id of ids) await redis.call('CLIENT', 'KILL', 'ID', id);
      await redis.quit();
    },

    async secondGateway({ websocket = settings.websocket, redisUrl = bus.url }: GatewayOptions = {}) {
      const second = await startGateway({ ...settings, websocket, redis: { ...settings.redis, url: redisUrl } });
      const ws = `ws://127.0.0.1:${second.port}`;
      return {
        ws,
        origin: `http://127.0.0.1:${second.port}`,
        follow: (query = '') => socketClient<CompanyMessage>(`${ws}/api/ws${query}`, { headers: { cookie } }),
        stop: () => second.stop(),
      };
    },
  };

  async function stored(playId: string): Promise<Play> {
    const play = await plays.findOne({ _id: playId });
    if (!play) throw new Error(`no play ${playId}`);
    return play;
  }
}

function startGateway(settings: Settings): Promise<RunningProcess> {
  return startProcess({
    name: 'realtime',
    module: RealtimeModule,
    settings: { ...settings, server: { ...settings.server, port: 0 } },
    bootTasks: provisionTasks(() => undefined),
    beforeListen: (app) => app.get(LiveStreams).attach(app),
    needs: { database: true, queue: true },
    embedded: true,
  });
}
