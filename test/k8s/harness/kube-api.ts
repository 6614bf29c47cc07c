import { Agent, request } from 'undici';

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

export interface KubeAnswer<T> {
  readonly status: number;
  readonly body: T;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const PLURALS: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };
const CLUSTER_WIDE = ['Namespace', 'CustomResourceDefinition', 'APIService', 'Node'];

/** The Kubernetes API as a program uses it. */
export class KubeApi {
  private readonly agent = new Agent({ connect: { rejectUnauthorized: false }, connections: 8 });

  constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  /** Returns every answer, also refusals: the caller checks the status. */
  async send<T = unknown>(
    method: Method,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<KubeAnswer<T>> {
    const answer = await request(`${this.url}${path}`, {
      method,
      dispatcher: this.agent,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': contentType },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type'] ?? '').includes('json');
    return { status: answer.statusCode, body: (isJson ? JSON.parse(text) : text) as T };
  }

  async get<T>(path: string): Promise<T> {
    return this.expect(await this.send<T>('GET', path), `GET ${path}`);
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.get<{ items: readonly T[] }>(path)).items;
  }

  /** Creates the object or changes it. Strict: a field that the server does not know is refused. */
  async apply(object: KubeObject): Promise<void> {
    const path = `${pathOf(object)}?fieldManager=weft&force=true&fieldValidation=Strict`;
    const answer = await this.send('PATCH', path, object, 'application/apply-patch+yaml');
    this.expect(answer, `apply ${object.kind} ${object.metadata.name}`);
  }

  async patch(path: string, change: unknown): Promise<void> {
    const answer = await this.send('PATCH', path, change, 'application/merge-patch+json');
    // A pod may be gone by now.
    if (answer.status !== 404) this.expect(answer, `PATCH ${path}`);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private expect<T>({ status, body }: KubeAnswer<T>, what: string): T {
    if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body).slice(0, 1_000)}`);
    return body;
  }
}

function pathOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return CLUSTER_WIDE.includes(kind)
    ? `${base}/${plural}/${name}`
    : `${base}/namespaces/${namespace}/${plural}/${name}`;
}
