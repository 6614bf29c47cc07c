import type { INestApplication } from '@nestjs/common';
import type { Role } from '@weft/access';
import { loadSettings } from '@weft/config';
import { provisionTasks, startProcess, type ProcessOptions, type RunningProcess } from '@weft/process';
import { PasswordHasher, Sessions, type PasswordHasherOptions } from '@weft/identity';
import { createIdSource, parseStoredJson } from '@weft/kernel';
import { emailKey, Mongo, TenantScope } from '@weft/store';
import { COMPANIES, RunTimeSettings, USERS, type UserDocument } from '@weft/records';
import {
  documentsOf,
  liveMongo,
  liveRedis,
  processEnv,
  restoreServers,
  sharedServers,
  type Documents,
  type ProcessServers,
} from '@weft/testing';
import { randomInt } from 'node:crypto';
import { afterAll } from 'vitest';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { createApiAdapter } from '../../apps/api/src/http/http-adapter.js';
import { offerOpenApi, OpenApiSource } from '../../apps/api/src/http/openapi.controller.js';
import { founded } from '../fixtures/founded.js';
import { DeclaredAnswers } from './declared-answers.js';
import type { OpenApiDocument } from './described-operations.js';

export const newId = createIdSource(Date.now, randomInt(2 ** 32));

/** An answer's body as specs read it; missing fields are undefined, which expectations reveal. */
export interface Json {
  readonly [name: string]: Json;
}

/** A value of an answer that the spec knows to be a text. */
export function textOf(value: Json | undefined): string {
  return value as unknown as string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Json;
}

export interface Send {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One signed-in user of a separate company. */
export interface Person {
  readonly userId: string;
  readonly scope: TenantScope;
  send(method: string, path: string, options?: Send): Promise<Answer>;
}

let declared: DeclaredAnswers | undefined;

/** Made once for the specs of a worker: the document is the same for all. */
function declaredAnswers(app: INestApplication): DeclaredAnswers {
  const source = app.get(OpenApiSource, { strict: false });
  return (declared ??= new DeclaredAnswers(source.get() as unknown as OpenApiDocument));
}

interface LiveInstallation {
  readonly running: RunningProcess;
  readonly servers: ProcessServers;
}

async function startApi(
  servers: ProcessServers,
  more: Readonly<Record<string, string>> = {},
  logOut?: ProcessOptions['logOut'],
): Promise<LiveInstallation> {
  await founded(servers);
  const running = await startProcess({
    name: 'api',
    module: ApiModule,
    settings: loadSettings(
      { ...processEnv(servers), SERVER_PORT: '0', LOG_LEVEL: 'error', ...more },
      { standalone: false },
    ),
    adapter: createApiAdapter,
    bootTasks: provisionTasks(() => undefined),
    beforeListen: offerOpenApi,
    needs: { database: true, queue: false },
    embedded: true,
    logOut,
  });
  // bcrypt in few rounds: a password of a spec does not take a third of a second. That the product's own take it: password-hasher.spec.ts
  Object.assign(running.app.get(PasswordHasher, { strict: false }), { cost: 4 } satisfies PasswordHasherOptions);
  return { running, servers };
}

async function ownApi(...[more, logOut]: Parameters<typeof liveApi>): Promise<LiveInstallation> {
  const [{ uri, db }, { url, prefix }] = [liveMongo(), liveRedis()];
  const servers = { mongodbUri: uri, mongodbDb: db, redisUrl: url, queuePrefix: prefix };
  const { running } = await startApi(servers, more, logOut);
  afterAll(() => running.stop());
  return { running, servers };
}

/** The API that spec files of this worker use one after the other, and its documents as they were when it had started. */
let shared: Promise<LiveInstallation & { readonly documents: Documents }> | undefined;

async function sharedApi(): Promise<LiveInstallation> {
  shared ??= (async () => {
    const installation = await startApi(sharedServers());
    return { ...installation, documents: await documentsOf(installation.servers) };
  })();
  const { running, servers, documents } = await shared;
  afterAll(async () => {
    await restoreServers(servers, documents);
    // what is in memory until the next look, a second later
    await running.app.get(RunTimeSettings).refresh();
  });
  return { running, servers };
}

/**
 * An API on live servers, without network: requests are injected. A spec file without settings of its own uses the one that
 * its worker has: it finds no document of another file there. With settings it gets one for itself.
 *
 * @param more settings besides the usual ones, by their environment names
 * @param logOut where its log goes instead of standard output
 */
export async function liveApi(more: Readonly<Record<string, string>> = {}, logOut?: ProcessOptions['logOut']) {
  const isPlain = Object.keys(more).length === 0 && logOut === undefined;
  const { running } = await (isPlain ? sharedApi() : ownApi(more, logOut));
  const { app } = running;
  const mongo = app.get(Mongo);

  /** Every answer in a spec is compared with the OpenAPI document. */
  async function send(method: string, path: string, options: Send = {}): Promise<Answer> {
    const answer = await ask(method, path, options);
    const faults = declaredAnswers(app).faultsOf(method, path, answer);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return answer;
  }

  async function ask(method: string, path: string, { body, headers = {} }: Send): Promise<Answer> {
    const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
      payload,
    });
    const isJson = answer.payload !== '' && /[/+]json/.test(String(answer.headers['content-type']));
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: (isJson ? parseStoredJson(answer.payload) : answer.payload) as Json,
    };
  }

  async function openSession(user: UserDocument, companyId: string): Promise<string> {
    const origin = { address: '127.0.0.1', userAgent: 'spec', requestId: 'spec' };
    const sessions = app.get(Sessions, { strict: false });
    const opened = await sessions.open(user, companyId, origin, { kind: 'password' });
    if (!opened) throw new Error(`The user ${user._id} changed meanwhile`);
    return `sid=${opened.sessionId}`;
  }

  /** One more session of a user: its cookie. */
  async function signIn(userId: string, companyId: string): Promise<string> {
    const user = await mongo.collection<UserDocument>(USERS).findOne({ _id: userId });
    if (!user) throw new Error(`There is no user ${userId}`);
    return openSession(user, companyId);
  }

  async function person(role: Role, companyId?: string): Promise<Person> {
    const scope = new TenantScope(companyId ?? newId());
    if (companyId === undefined) {
      const company = { _id: scope.companyId, name: 'spec', active: true, created_at: new Date() };
      await mongo.collection<typeof company>(COMPANIES).insertOne(company);
    }
    const userId = newId();
    const email = `${userId}@weft.test`;
    const user: UserDocument = {
      _id: userId,
      email,
      email_key: emailKey(email),
      name: null,
      password_hash: null,
      operator: false,
      company_roles: [{ company_id: scope.companyId, role, group_ids: [] }],
      created_at: new Date(),
      last_activity: null,
    };
    await mongo.collection<UserDocument>(USERS).insertOne(user);
    const cookie = await openSession(user, scope.companyId);
    return {
      userId,
      scope,
      send: (method, path, options = {}) => send(method, path, { ...options, headers: { cookie, ...options.headers } }),
    };
  }

  return { app, mongo, send, person, signIn };
}
