import { request, type Dispatcher } from 'undici';

/** The error of one call, with the message of the API. */
export class DemoRefused extends Error {
  constructor(
    readonly status: number,
    what: string,
    detail: string,
  ) {
    super(`${what}: ${status} ${detail}`);
    this.name = 'DemoRefused';
  }
}

/** The API as any program uses it: over HTTP, signed in with a session. */
export class DemoApi {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  static async signIn(url: string, login: { readonly email: string; readonly password: string }): Promise<DemoApi> {
    const answer = await send(url, '', 'POST', '/api/v1/auth/login', { email: login.email, password: login.password });
    const cookie = answer.cookies.find((each) => each.startsWith('sid='))?.split(';')[0];
    if (cookie === undefined) throw new DemoRefused(answer.status, 'sign in', 'no session came back');
    return new DemoApi(url, cookie);
  }

  async call<T>(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<T> {
    return (await send(this.url, this.cookie, method, path, body)).body as T;
  }

  signOut(): Promise<unknown> {
    return this.call('POST', '/api/v1/auth/logout');
  }
}

async function send(url: string, cookie: string, method: Dispatcher.HttpMethod, path: string, body?: unknown) {
  const answer = await request(`${url}${path}`, {
    method,
    headers: {
      ...(cookie === '' ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.body.text();
  const value: unknown = text === '' ? null : JSON.parse(text);
  if (answer.statusCode >= 400) {
    const { detail = text } = (value ?? {}) as { detail?: string };
    throw new DemoRefused(answer.statusCode, `${method} ${path}`, detail);
  }
  return { status: answer.statusCode, body: value, cookies: [answer.headers['set-cookie'] ?? []].flat() };
}
