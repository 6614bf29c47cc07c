import { operationsOf, type DescribedAnswer, type OpenApiDocument, type Place } from './described-operations.js';
import { faultsOf, schemaCompiler, type Validate } from './json-schema.js';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Headers that programs use: the document must declare them for each answer that has one. */
const TELLING = [
  'etag',
  'location',
  'set-cookie',
  'retry-after',
  'www-authenticate',
  'content-disposition',
  'idempotency-replayed',
  'idempotency-mismatch',
  'idempotency-retried',
  'x-request-id',
];

/**
 * Compares answers with the OpenAPI document: status, code of an error, content type, headers and body. Every answer in a
 * spec passes through it, so that every test of the API also tests the document.
 */
export class DeclaredAnswers {
  private readonly routes: readonly { readonly method: string; readonly pattern: RegExp; readonly place: Place }[];
  private readonly compile: (schema: object) => Validate;
  private readonly validators = new Map<object, Validate>();

  constructor(private readonly document: OpenApiDocument) {
    this.compile = schemaCompiler(document.components.schemas ?? {});
    this.routes = operationsOf(document)
      .flatMap((place) =>
        [place.path, place.item['x-alias'] ?? []].flat().map((path) => ({
          method: place.method.toUpperCase(),
          pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
          place,
          fixed: path.replace(/\{\w+\}/g, '').length,
        })),
      )
      .sort((a, b) => b.fixed - a.fixed); // like the router: fixed words of a path before parameters
  }

  /** Differences between the answer and the document; empty if the answer is as described. */
  faultsOf(method: string, url: string, answer: Answered): string[] {
    const path = pathOf(url);
    const found = this.routes.find((route) => route.method === method && route.pattern.test(path));
    if (!found || isWayToSignIn(answer)) return [];
    const { operation } = found.place;
    const declared = this.resolve(operation.responses[String(answer.status)]);
    const what = `${method} ${found.place.path} answers ${answer.status}`;
    if (!declared) return [`${what} ${codeOf(answer)}, and the OpenAPI document does not say so`];
    const isGuarded = (operation.security ?? []).length > 0;
    const faults = [this.headerFaults(declared, answer, isGuarded), this.bodyFaults(declared, answer)];
    return [...faults.flat(), ...codeFaults(declared, answer)].map((fault) => `${what}: ${fault}`);
  }

  private headerFaults({ headers = {} }: DescribedAnswer, answer: Answered, isGuarded: boolean): string[] {
    const said = new Map(
      Object.entries(headers).map(([name, header]) => [name.toLowerCase(), this.resolve(header as object)]),
    );
    const unsaid = TELLING.filter((name) => answer.headers[name] !== undefined && !said.has(name)).filter(
      (name) => !(name === 'set-cookie' && isGuarded), // any answer may renew the session's cookie
    );
    const missing = [...said].filter(
      ([name, header]) => header?.required === true && answer.headers[name] === undefined,
    );
    return [
      ...unsaid.map((name) => `it has ${name}, and the OpenAPI document does not say so`),
      ...missing.map(([name]) => `it has no ${name}, and the OpenAPI document says that it has`),
    ];
  }

  private bodyFaults({ content }: DescribedAnswer, { headers, body }: Answered): string[] {
    const type = /^[^;]*/.exec(textOf(headers['content-type']))?.[0] ?? '';
    if (!content) return body === '' ? [] : ['it has a body, and the OpenAPI document does not say so'];
    const schema = content[type]?.schema;
    if (!schema) return [`its type is ${type}, and the OpenAPI document says ${Object.keys(content).join(', ')}`];
    return type.endsWith('json') ? faultsOf(this.validatorOf(schema), body) : [];
  }

  private validatorOf(schema: object): Validate {
    const known = this.validators.get(schema) ?? this.compile(schema);
    this.validators.set(schema, known);
    return known;
  }

  private resolve<T extends object>(value: T | undefined): (T & { required?: boolean }) | undefined {
    const ref = (value as { $ref?: string } | undefined)?.$ref;
    if (ref === undefined) return value;
    const [, , kind = '', name = ''] = ref.split('/');
    return this.document.components[kind]?.[name] as T | undefined;
  }
}

/** A browser without a session is sent to sign in, from anywhere: said once, in the document's description. */
function isWayToSignIn({ status, headers }: Answered): boolean {
  return status === 302 && textOf(headers.location).startsWith('/login');
}

function codeFaults({ 'x-problem-codes': codes }: DescribedAnswer, answer: Answered): string[] {
  if (!codes || codes.includes(codeOf(answer))) return [];
  return [`its code is ${codeOf(answer)}, and the OpenAPI document says ${codes.join(', ')}`];
}

function codeOf({ body }: Answered): string {
  const { code } = (body ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function textOf(header: unknown): string {
  return typeof header === 'string' ? header : '';
}

/** As the router takes it: with escapes read, word by word. */
function pathOf(url: string): string {
  const words = (url.split('?', 1)[0] ?? '').split('/');
  try {
    return words.map((word) => decodeURIComponent(word).replaceAll('/', '_')).join('/');
  } catch {
    return words.join('/');
  }
}
