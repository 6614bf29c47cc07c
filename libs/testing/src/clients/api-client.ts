import {
  isFinal,
  type FlowView,
  type LayerView,
  type PlayLayerView,
  type PlayState,
  type PlayView,
} from '@weft/contracts';
import { Agent, request, type Dispatcher } from 'undici';
import { TEST_ADMIN } from '../servers/process-env.js';
import { waitFor } from '../wait-for.js';

export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: T;
}

export interface RunBody {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  readonly delayMs?: number;
  readonly runAt?: string;
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly wait?: number;
  readonly lane?: string;
}

export interface RunAnswer {
  readonly playId: string;
  readonly state: PlayState;
}

type Credential = { readonly authorization: string } | { readonly cookie: string };
type Fields = Readonly<Record<string, unknown>>;

/** The API as a program uses it. One client is one caller, without a credential until `login` or `withKey`. */
export class ApiClient {
  private readonly agent: Agent;

  constructor(
    readonly url: string,
    private readonly credential: Credential | null = null,
    agent?: Agent,
  ) {
    this.agent = agent ?? new Agent({ connections: 64, pipelining: 1 });
  }

  /** Returns every answer, also errors: the caller checks the status. */
  async send<T = unknown>(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer<T>> {
    const answer = await request(`${this.url}${path}`, {
      method,
      dispatcher: this.agent,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.credential,
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type'] ?? '').includes('json');
    return { status: answer.statusCode, headers: answer.headers, body: (isJson ? JSON.parse(text) : text) as T };
  }

  /** A new client with the session of that user; by default the first admin's. */
  async login({
    email,
    password,
  }: { readonly email: string; readonly password: string } = TEST_ADMIN): Promise<ApiClient> {
    const answer = await this.send('POST', '/api/v1/auth/login', { email, password });
    expectStatus(answer, 200, 'log in');
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0] ?? '');
    const sid = cookies.find((cookie) => cookie.startsWith('sid='));
    if (sid === undefined) throw new Error(`No sid cookie among ${JSON.stringify(cookies)}`);
    return new ApiClient(this.url, { cookie: sid }, this.agent);
  }

  /** A new client with this token as bearer. */
  withKey(token: string): ApiClient {
    return new ApiClient(this.url, { authorization: `Bearer ${token}` }, this.agent);
  }

  /** The same caller at another replica. */
  at(url: string): ApiClient {
    return new ApiClient(url, this.credential, this.agent);
  }

  /** Headers that prove who this is, for sockets. */
  get credentials(): Readonly<Record<string, string>> {
    return { ...this.credential };
  }

  async createApiKey(fields: Fields = {}): Promise<{ readonly id: string; readonly token: string }> {
    return this.must(201, 'POST', '/api/v1/admin/api-keys', { name: 'test key', ...fields });
  }

  async createFlow(fields: Fields = {}): Promise<FlowView> {
    return this.must(201, 'POST', '/api/v1/flows', { name: 'test flow', ...fields });
  }

  async addLayer(
    flowId: string,
    layer: { readonly ref: string; readonly appId: string; readonly args: Fields } & Fields,
  ): Promise<LayerView> {
    return this.must(201, 'POST', `/api/v1/flows/${flowId}/layers`, layer);
  }

  /** Accepted, or replayed by its key: 202 or 200. */
  async run(flowId: string, body: RunBody = {}): Promise<RunAnswer> {
    const answer = await this.send<RunAnswer>('POST', `/api/v1/flows/${flowId}/run`, body);
    if (answer.status !== 200) expectStatus(answer, 202, `run flow ${flowId}`);
    return answer.body;
  }

  async play(playId: string): Promise<PlayView> {
    return this.must(200, 'GET', `/api/v1/plays/${playId}`);
  }

  async layers(playId: string): Promise<readonly PlayLayerView[]> {
    return this.must(200, 'GET', `/api/v1/plays/${playId}/layers`);
  }

  /** Waits until the play is final, or in this state. Repeats requests that fail meanwhile (a killed server). */
  async waitForPlay(
    playId: string,
    options: { readonly state?: PlayState; readonly withinMs?: number } = {},
  ): Promise<PlayView> {
    const { state, withinMs } = options;
    const there = (play: PlayView): boolean => (state === undefined ? isFinal(play.state) : play.state === state);
    let last: PlayView | null = null;
    const ask = async (): Promise<PlayView | false> => {
      last = await this.play(playId);
      return there(last) && last;
    };
    return waitFor(ask, { what: `play ${playId} to be ${state ?? 'final'}`, withinMs }).catch((error: unknown) => {
      throw new Error(`The play never got there; last seen: ${JSON.stringify(last)}`, { cause: error });
    });
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  async must<T>(status: number, method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<T> {
    const answer = await this.send<T>(method, path, body);
    expectStatus(answer, status, `${method} ${path}`);
    return answer.body;
  }
}

function expectStatus(answer: ApiAnswer<unknown>, status: number, what: string): void {
  if (answer.status !== status) {
    throw new Error(`${what}: expected ${status}, got ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}
