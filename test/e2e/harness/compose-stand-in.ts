import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { freePort } from '#tools/servers/index.mjs';
import { findCaddy } from '#tools/servers/find-caddy.mjs';
import { findMongod } from '#tools/servers/find-mongod.mjs';
import { runEnv } from '#tools/setup/root.mjs';
import { findRedis } from '#tools/servers/find-redis.mjs';
import { scratchFolder, spawnCommand, waitFor, type SpawnedProcess } from '@weft/testing';
import { afterAll } from 'vitest';
import { readComposeFile, ROOT, type ComposeService } from './compose-file.js';

/** Where the other tests have compiled the same files. */
const { NODE_COMPILE_CACHE } = runEnv() as { readonly NODE_COMPILE_CACHE: string };
const HEALTHY_WITHIN_MS = 60_000;

type Started = SpawnedProcess<string>;

/**
 * Runs services of docker-compose.yml as processes of this machine: their commands, environments and health checks as the file
 * says, except what a container would give them, which is replaced: host names, ports, paths of volumes, ids of users, and the
 * programs of the images that are not ours.
 */
export class ComposeStandIn {
  private readonly folder = scratchFolder('compose');
  private readonly running = new Map<string, Started>();

  private constructor(
    private readonly services: Readonly<Record<string, ComposeService>>,
    private readonly ports: Readonly<Record<string, number>>,
    private readonly programs: Readonly<Record<string, string>>,
  ) {
    for (const volume of ['secrets', 'mongo', 'valkey', 'weft']) mkdirSync(join(this.folder, volume));
  }

  static async open(): Promise<ComposeStandIn> {
    const ports: Record<string, number> = {};
    const served = ['mongo', 'valkey', 'api', 'worker', 'realtime', 'scheduler', 'front'];
    for (const name of served) ports[name] = await freePort();
    const { services } = readComposeFile({ WEFT_PORT: String(ports.front) });
    const options = { env: process.env, log: () => undefined };
    const programs = {
      node: process.execPath,
      mongod: (await findMongod(options)).path,
      'valkey-server': (await findRedis(options)).path,
      caddy: await findCaddy(options),
    };
    const standIn = new ComposeStandIn(services, ports, programs);
    afterAll(() => Promise.all([...standIn.running.values()].map((each) => each.kill())));
    return standIn;
  }

  /** A service that ends by itself. @returns what it wrote */
  async run(name: string): Promise<string> {
    const { file, args, env } = this.commandOf(name);
    const { stdout } = await promisify(execFile)(file, args, { cwd: ROOT, env });
    return stdout;
  }

  /** Starts a service and waits until its health check succeeds: what that asks first, because a process costs more than a request. */
  async startHealthy(name: string): Promise<void> {
    const started = await this.start(name);
    if (name !== 'mongo') await started.ready(HEALTHY_WITHIN_MS);
    const what = `the health check of ${name} to succeed`;
    const check = async (): Promise<boolean> => !started.isRunning() || (await this.isHealthy(name));
    await waitFor(check, { what, withinMs: HEALTHY_WITHIN_MS }).catch((error: unknown) => {
      throw new Error(`${name} is not healthy. It wrote:\n${started.output().slice(-4_000)}`, { cause: error });
    });
    if (!started.isRunning()) throw new Error(`${name} has ended. It wrote:\n${started.output()}`);
  }

  async start(name: string): Promise<Started> {
    const command = { ...this.commandOf(name), cwd: ROOT, port: this.ports[name] ?? 0 };
    const started = await spawnCommand(name, command, 0);
    this.running.set(name, started);
    return started;
  }

  private async isHealthy(name: string): Promise<boolean> {
    const test = (this.service(name).healthcheck?.test ?? []).map((text) => this.placed(name, text));
    const [, program = '', ...args] = test;
    if (program === 'mongosh') return runInShell(args.at(-1) ?? '');
    // the programs of the images of others are not here
    if (program === 'wget') return (await fetch(args.at(-1) ?? '').catch(() => null))?.ok === true;
    const ran = promisify(execFile)(this.program(program), args, { env: {} });
    return ran.then(
      () => true,
      () => false,
    );
  }

  private commandOf(name: string): { file: string; args: readonly string[]; env: Record<string, string> } {
    const { entrypoint, command = [], environment = {} } = this.service(name);
    const isOurs = environment.MONGODB_URI_FILE !== undefined || name === 'secrets';
    const [program = '', ...args] = [...(entrypoint ?? (isOurs ? ['node'] : [])), ...command];
    const env = Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, this.placed(name, text)]));
    const place: Record<string, string> = isOurs
      ? { SERVER_HOST: '127.0.0.1', SERVER_PORT: String(this.ports[name] ?? 0), NODE_COMPILE_CACHE }
      : {};
    const file = this.program(program);
    return {
      file,
      args: args.map((arg) => this.placed(name, arg)),
      env: { ...env, ...place, PATH: process.env.PATH ?? '' },
    };
  }

  /** A text of the file, with what is here instead of a container. */
  private placed(name: string, text: string): string {
    const { folder, ports } = this;
    const user = String(process.getuid?.() ?? 0);
    const replaced = text
      .replaceAll('/secrets', join(folder, 'secrets'))
      .replace(/(?<==)\/stores\/(mongo|valkey)$/, (_, volume: string) => join(folder, volume))
      .replace('/data/db', join(folder, 'mongo'))
      .replace(/^\/data$/, join(folder, 'valkey'))
      .replace('/var/lib/weft', join(folder, 'weft'))
      .replace('/etc/caddy/Caddyfile', join(ROOT, 'tools/compose/Caddyfile'))
      .replace(/^8080$/, String(ports.front))
      .replace(/^0\.0\.0\.0$/, '127.0.0.1')
      .replace('--bind_ip_all', '--bind_ip=127.0.0.1')
      .replace(/-user=\d+$/, `-user=${user}`)
      .replaceAll(/\b(mongo|valkey|api|realtime|front):\d+/g, (_, host: string) => `127.0.0.1:${ports[host]}`);
    return replaced.replaceAll(/127\.0\.0\.1:(27017|3000|8080)\b|^(--port=)?(27017|6379)$/g, (whole) =>
      whole.replace(/\d+$/, String(ports[name])),
    );
  }

  private service(name: string): ComposeService {
    const service = this.services[name];
    if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
    return service;
  }

  private program(name: string): string {
    const path = this.programs[name];
    if (path === undefined) throw new Error(`${name} is not a program that this test knows`);
    return path;
  }
}

/** mongosh waits for each command of a script by itself: here the waits are written into it. @returns whether it succeeded */
async function runInShell(script: string): Promise<boolean> {
  const clients: mongoose.mongo.MongoClient[] = [];
  const connect = (uri: string) => {
    const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 2_000 });
    clients.push(client);
    return { runCommand: (command: mongoose.mongo.Document) => client.db('admin').command(command) };
  };
  let code = 0;
  const quit = (given: number): void => void (code = given);
  const waiting = script.replaceAll('admin.runCommand(', 'await admin.runCommand(').replaceAll('quit(', 'return quit(');
  const program = new AsyncFunction('connect', 'quit', 'require', waiting) as (...names: unknown[]) => Promise<void>;
  try {
    await program(connect, quit, createRequire(import.meta.url));
    return code === 0;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError || error instanceof mongoose.mongo.MongoNetworkError)
      return false;
    if (error instanceof mongoose.mongo.MongoServerSelectionError) return false;
    throw error;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

const AsyncFunction = (async () => Promise.resolve()).constructor as new (...texts: string[]) => unknown;
