/** Runs layers of SQL with real sessions, in the way that a call does. */
import type { EgressDialer } from '@weft/egress';
import { layerContext } from '../layer-context.fixture.js';
import { LayerFailure, type Connection, type LayerContext, type Output, type WorkingModule } from '../layer-module.js';
import { NO_CLOCK } from '../call/call-context.js';
import { roomOf } from '../call/databases-source.js';
import { HeldMemory } from '../memory/held-memory.js';
import { SessionPools } from './session-pools.js';

export interface SqlRun {
  readonly pools: SessionPools;
  readonly link: Connection;
  readonly companyId?: string;
  readonly context?: Partial<LayerContext>;
}

export function linkTo(uri: string, settings: Connection['settings'] = { tls: 'off' }): Connection {
  const { protocol, username, password, host, pathname } = new URL(uri);
  return {
    ...{ type: 'database', endpoint: `${protocol}//${host}${pathname}`, kind: 'basic' as const, settings },
    secret: `${username}:${password}`,
  };
}

export async function runSql<Args>(
  module: WorkingModule<Args>,
  args: Readonly<Record<string, unknown>>,
  { pools, link, companyId = 'company', context: part = {} }: SqlRun,
): Promise<Output> {
  const signal = part.signal ?? new AbortController().signal;
  const room = roomOf({ memory: new HeldMemory(), loop: null, companyId, signal, clock: NO_CLOCK }, 'db.example:5432');
  const database: LayerContext['database'] = ({ integrationId, timeoutMs, isReadOnly }, work) =>
    pools.use({ companyId, integrationId, link, playId: 'play', timeoutMs, isReadOnly, signal, room }, work);
  const parsed = module.argsSchema.parse({ integrationId: 'db', ...args });
  return module.run(parsed, layerContext({ signal, database, ...part }));
}

export function poolsOver(sockets: EgressDialer, onCount?: (open: number) => void): SessionPools {
  return new SessionPools(sockets, onCount);
}

/** Its code, its message and its output. */
export async function failureOf(
  run: Promise<unknown>,
): Promise<Pick<LayerFailure, 'code' | 'message' | 'out' | 'isPassing'>> {
  try {
    await run;
  } catch (error) {
    if (error instanceof LayerFailure) return error;
    throw error;
  }
  throw new Error('the layer did not fail');
}
