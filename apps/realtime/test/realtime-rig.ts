import type { Role, Scope } from '@weft/access';
import { loadSettings, type Settings } from '@weft/config';
import { acceptPlay, numbered, type LayerResult, type Play, type PlayEvent } from '@weft/engine';
import { CLOCK, founding, NEW_ID, startProcess, type RunningProcess } from '@weft/host';
import { openIdentity } from '@weft/identity';
import type { Clock, NewId } from '@weft/kernel';
import { API_KEYS, FLOWS, MAJORITY, Mongo, PLAYS, TenantScope, USERS, type FlowDocument } from '@weft/persistence';
import { InvalidationBus, PlayNotices } from '@weft/realtime-bus';
import { liveMongo, liveRedis, processEnv, socketClient, TEST_ADMIN, type SocketClient } from '@weft/testing';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { PlayStreamGateway } from '../src/play-stream/play-stream.gateway.js';
import { RealtimeModule } from '../src/realtime.module.js';

interface SocketHeaders {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A realtime process on live servers, and what its tests do to the plays and the people of one company. */
export async function openRig() {
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
    websocket: { pingPeriodSeconds: 0.3, readDeadlineSeconds: 0.9, writeDeadlineSeconds: 0.6 },
  };
  const main = await startGateway(settings);
  const { app, port } = main;
  afterAll(() => main.stop());
  const mongo = app.get(Mongo);
  const clock = app.get<Clock>(CLOCK);
  const newId = app.get<NewId>(NEW_ID);
  const invalidations = app.get(InvalidationBus);
  const notices = app.get(PlayNotices);
  const identity = openIdentity({ mongo, settings, clock, newId, bus: invalidations });
  const plays = mongo.collection<Play>(PLAYS);
  const users = mongo.collection<UserRow>(USERS);

  const admin = await users.findOne({ email: TEST_ADMIN.email });
  if (!admin) throw new Error('the first admin is not there');
  const companyId = admin.company_roles[0]?.company_id ?? '';
  const signIn = async (user: UserRow) => {
    const origin = { address: '127.0.0.1', userAgent: 'spec', requestId: newId() };
    const { sessionId, session } = await identity.sessions.open(user as never, companyId, origin);
    return { session, origin, cookie: `sid=${sessionId}` };
  };
  const { cookie } = await signIn(admin);
  const keys: string[] = [];
  const flowId = await addFlow({});

  async function addFlow(over: Partial<FlowDocument>): Promise<string> {
    const flow = {
      _id: newId(),
      company_id: companyId,
      createdBy: admin?._id,
      groupId: null,
      restricted: false,
      filteredAt: null,
    };
    await mongo
      .collection<Partial<FlowDocument>>(FLOWS)
      .insertOne({ ...flow, ...over } as never, { writeConcern: MAJORITY });
    return flow._id;
  }

  return {
    cookie,
    origin: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,

    watch: (path: string, { headers = { cookie } }: SocketHeaders = {}): SocketClient =>
      socketClient(`ws://127.0.0.1:${port}/ws/plays/${path}`, { headers }),

    flow: addFlow,

    async play(over: Partial<Play> = {}): Promise<string> {
      const run = { version: 1, args: {}, idempotencyKey: null, dueAt: null, trigger: 'api' as const };
      const ids = { playId: newId(), companyId, flowId, triggeredBy: admin._id };
      const play = { ...acceptPlay({ ...run, ...ids, serverNow: new Date() }), ...over };
      await plays.insertOne(play, { writeConcern: MAJORITY });
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
      const { seq, company_id } = await stored(playId);
      await plays.updateOne(
        { _id: playId, seq },
        {
          $set: { state: 'RUN', ...set, seq: seq + events.length },
          $push: { log: { $each: numbered(seq, events) }, layers: { $each: [...layers] } },
        },
        { writeConcern: MAJORITY },
      );
      if (announced) notices.announce(company_id, playId, seq + events.length);
    },

    stored,
    deletePlay: (playId: string) => plays.deleteOne({ _id: playId }, { writeConcern: MAJORITY }),

    async key(scope: readonly Scope[]): Promise<string> {
      const expires = Math.floor(Date.now() / 1_000) + 600;
      const id = newId();
      const people = { user_id: admin._id, company_id: companyId, created_by: admin._id };
      const times = {
        created_at: new Date(),
        expires_at: new Date(expires * 1_000),
        revoked_at: null,
        last_used_at: null,
      };
      await mongo
        .collection<{ _id: string }>(API_KEYS)
        .insertOne({ _id: id, name: 'spec', scope, ...people, ...times } as never);
      keys.push(id);
      const iat = Math.floor(Date.now() / 1_000);
      return identity.tokens.sign({
        sub: admin._id,
        company_id: companyId,
        key_id: id,
        scope,
        iat,
        exp: expires,
      } as never);
    },

    async revokeKeys(): Promise<void> {
      await mongo
        .collection<{ _id: string }>(API_KEYS)
        .updateMany({}, { $set: { revoked_at: new Date() } }, { writeConcern: MAJORITY });
      for (const id of keys) invalidations.publish({ kind: 'api-key', id });
    },

    async user(role: Role) {
      const place = { company_id: companyId, role, group_ids: [] };
      const { email_key: _, ...rest } = admin;
      const id = newId();
      const user = {
        ...rest,
        _id: id,
        email: `${id}@weft.test`,
        email_key: `${id}@weft.test`,
        operator: false,
        company_roles: [place],
      };
      await users.insertOne(user, { writeConcern: MAJORITY });
      const signedIn = await signIn(user);
      return {
        cookie: signedIn.cookie,
        endSession: async (told = true) => {
          await identity.sessions.end(signedIn.session, user.email, signedIn.origin);
          if (told) invalidations.publish({ kind: 'session', id: signedIn.session._id });
        },
      };
    },

    async restrictFlowOf(playId: string): Promise<void> {
      const { flowId: id } = await stored(playId);
      await mongo
        .collection<{ _id: string }>(FLOWS)
        .updateOne({ _id: id }, { $set: { restricted: true } }, { writeConcern: MAJORITY });
      invalidations.publish({ kind: 'flow', id });
    },

    async metric(name: string): Promise<number> {
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(
        page
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1] ?? 0,
      );
    },

    /** Breaks every subscription at this Redis; whoever had one comes back by itself. */
    async cutSubscriptions(): Promise<void> {
      const redis = new Redis(bus.url);
      await redis.client('KILL', 'TYPE', 'pubsub');
      await redis.quit();
    },

    async secondGateway() {
      const second = await startGateway(settings);
      return { ws: `ws://127.0.0.1:${second.port}`, stop: () => second.stop() };
    },
  };

  async function stored(playId: string): Promise<Play> {
    const play = await plays.findOne({ _id: playId });
    if (!play) throw new Error(`no play ${playId}`);
    return play;
  }
}

interface UserRow {
  readonly _id: string;
  readonly email: string;
  readonly email_key: string;
  readonly operator: boolean;
  readonly company_roles: readonly {
    readonly company_id: string;
    readonly role: Role;
    readonly group_ids: readonly string[];
  }[];
}

function startGateway(settings: Settings): Promise<RunningProcess> {
  return startProcess({
    name: 'realtime',
    module: RealtimeModule,
    settings: { ...settings, server: { ...settings.server, port: 0 } },
    bootTasks: founding(() => undefined),
    beforeListen: (app) => app.get(PlayStreamGateway).attach(app.getHttpServer()),
    needs: { database: true, queue: true },
    embedded: true,
  });
}
