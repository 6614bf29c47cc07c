import { Connection, type WeftOptions } from './http/connection.js';
import { Apis } from './resources/apis.js';
import { Approvals } from './resources/approvals.js';
import { Files } from './resources/files.js';
import { Flows } from './resources/flows.js';
import { Keys } from './resources/keys.js';
import { Kv } from './resources/kv.js';
import { Layers } from './resources/layers.js';
import { McpServers } from './resources/mcp-servers.js';
import {
  Runs,
  type BatchItem,
  type BatchRun,
  type EndedRun,
  type RunAnswer,
  type RunRequest,
} from './resources/runs.js';
import { TestCases } from './resources/test-cases.js';
import { WatchedPlays } from './resources/watched-plays.js';
import { Webhooks } from './resources/webhooks.js';
import { unreadable } from './http/weft-error.js';
import type { Me } from './resources/schemas.js';
import type { CallOptions } from './http/connection.js';
import { Changes } from './streams/changes.js';
import { isFinal, type PlayOutcome, type WaitOptions } from './streams/wait-for-play.js';

/** The most that one request waits for the end of its play. */
const MOST_WAIT_MS = 25_000;
const ANSWER_MS = 30_000;

/** Weft as one caller sees it: docs/client.md. */
export class Weft {
  readonly flows: Flows;
  readonly layers: Layers;
  readonly testCases: TestCases;
  readonly plays: WatchedPlays;
  readonly approvals: Approvals;
  readonly apis: Apis;
  readonly mcpServers: McpServers;
  readonly keys: Keys;
  readonly webhooks: Webhooks;
  readonly kv: Kv;
  readonly files: Files;
  readonly changes: Changes;
  private readonly connection: Connection;
  private readonly runs: Runs;

  constructor(options: WeftOptions = {}) {
    this.connection = new Connection(options);
    this.flows = new Flows(this.connection);
    this.layers = new Layers(this.connection);
    this.testCases = new TestCases(this.connection);
    this.plays = new WatchedPlays(this.connection);
    this.approvals = new Approvals(this.connection);
    this.apis = new Apis(this.connection);
    this.mcpServers = new McpServers(this.connection);
    this.keys = new Keys(this.connection);
    this.webhooks = new Webhooks(this.connection);
    this.kv = new Kv(this.connection);
    this.files = new Files(this.connection);
    this.changes = new Changes(this.connection);
    this.runs = new Runs(this.connection);
  }

  /** Every operation of the API, typed by its path, with the key, the attempts and the limits of this client. */
  get api(): Connection['api'] {
    return this.connection.api;
  }

  /** Whose key it is, in which company, and what it opens. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.connection.call(options, (api, init) => api.GET('/api/v1/auth/me', { ...init }));
  }

  /** Starts a play; once this has resolved the play is executed, whatever fails. */
  run(flowId: string, run: RunRequest = {}, options: CallOptions = {}): Promise<RunAnswer & Partial<EndedRun>> {
    return this.runs.start(flowId, run, options);
  }

  /** Starts a play and resolves when it has ended, however it did. @throws WaitTimeout */
  async runAndWait(
    flowId: string,
    run: Omit<RunRequest, 'wait'> = {},
    { timeoutMs, ...options }: WaitOptions = {},
  ): Promise<PlayOutcome> {
    const startedAt = performance.now();
    const wait = Math.floor(Math.min(MOST_WAIT_MS, timeoutMs ?? MOST_WAIT_MS));
    const { playId, state, out, error } = await this.run(
      flowId,
      { ...run, wait },
      { ...options, timeoutMs: wait + ANSWER_MS },
    );
    if (isFinal(state) && out !== undefined) return { playId, state, out, error: error ?? null };
    const leftMs = timeoutMs === undefined ? undefined : Math.max(0, startedAt + timeoutMs - performance.now());
    if (typeof playId !== 'string') throw unreadable('The answer does not name the play.');
    return this.plays.wait(playId, { ...options, timeoutMs: leftMs });
  }

  /** Starts any number of plays. An item for each run, in their order. */
  runBatch(flowId: string, runs: readonly BatchRun[], options: CallOptions = {}): Promise<BatchItem[]> {
    return this.runs.startMany(flowId, runs, options);
  }
}
