import { ERRORS } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { DeclaredAnswers } from '../../../../../test/api/declared-answers.js';
import {
  namesOf,
  operationsOf,
  type OpenApiDocument,
  type Place,
} from '../../../../../test/api/described-operations.js';
import { liveApi } from '../../../../../test/api/live-api.js';
import { allRoutes } from '../route-table.js';

const { app, send, person } = await liveApi();
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApiDocument;
const operations = operationsOf(document);

interface Narrowed {
  readonly allOf: readonly [object, { readonly properties: { readonly code: { readonly enum: readonly string[] } } }];
}

/** The codes that an operation says it refuses with, by status. */
function codesOf({ operation }: Place): [string, readonly string[]][] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, answer]) => {
      const name = (answer as { $ref?: string }).$ref?.split('/').at(-1) ?? '';
      const { content } = (document.components.responses?.[name] ?? answer) as Place['operation']['responses'][string];
      const schema = content?.['application/problem+json']?.schema as Narrowed | undefined;
      return [status, schema?.allOf[1].properties.code.enum ?? []];
    });
}

const refusals = operations.flatMap((place) => codesOf(place).map(([status, codes]) => ({ place, status, codes })));

describe('refusals in the OpenAPI document', () => {
  it('are said by status with their codes, each under its own status', () => {
    const wrong = refusals.filter(({ status, codes }) =>
      codes.some((code) => String(ERRORS[code as keyof typeof ERRORS].status) !== status),
    );
    expect(refusals.length).toBeGreaterThan(operations.length * 4);
    expect(namesOf(wrong.map(({ place }) => place))).toEqual([]);
    const silent = refusals.filter(({ codes, place }) => codes.length === 0 && !place.path.includes('/health'));
    expect(namesOf(silent.map(({ place }) => place))).toEqual([]);
  });

  it('miss no code that the product has for requests', () => {
    const said = new Set(refusals.flatMap(({ codes }) => codes));
    // on sockets, in answers of tools, and of requests that cannot be read and so reach no operation
    const elsewhere = [
      ...['headers_too_large', 'malformed_request', 'request_timeout'],
      ...['too_many_plays', 'too_many_sockets'],
    ];
    expect(
      Object.keys(ERRORS)
        .filter((code) => !said.has(code))
        .toSorted(),
    ).toEqual(elsewhere);
    expect(document.components.schemas?.Problem).toMatchObject({
      properties: { code: { enum: Object.keys(ERRORS) } },
    });
  });

  it('follow from what an operation takes, without anybody saying so', () => {
    const of = (id: string) =>
      Object.fromEntries(codesOf(operations.find(({ operation }) => operation.operationId === id) as Place));
    expect(of('Flows_read')).toEqual({
      401: ['session_expired', 'token_expired', 'token_invalid', 'token_revoked', 'unauthenticated'],
      403: ['company_stopped', 'denied', 'insufficient_scope'],
      404: ['not_found'],
      500: ['internal'],
      503: ['store_unavailable'],
    });
    expect(of('Flows_remove')).toMatchObject({ 412: ['version_conflict'] });
    expect(of('Groups_list')).toMatchObject({ 400: ['invalid_query'] });
    expect(of('Auth_logout')[403]).toEqual(['cross_site']);
    expect(of('Auth_switchCompany')[403]).toContain('session_required');
  });
});

describe('the OpenAPI document', () => {
  it('has every route that the server has, and no other', () => {
    const server = app.getHttpAdapter().getInstance();
    const shown = operations.flatMap(({ method, path, item }) =>
      [path, item['x-alias'] ?? []].flat().map((each) => `${method.toUpperCase()} ${each}`),
    );
    const served = allRoutes(server)
      .filter(({ method, url }) => method !== 'HEAD' && !/^\/($|api\/docs|assets|mcp)/.test(url))
      .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
    expect(served.toSorted()).toEqual(shown.toSorted());
  });

  it('describes how the process is without a credential, as it answers', async () => {
    for (const path of ['/health', '/api/health', '/health/live', '/health/ready', '/metrics']) {
      expect((await send('GET', path)).status, path).toBe(200);
    }
  });
});

describe('what a generated client found out', () => {
  it('is said or done as said: the plays of a flow that is not there, a payload that is null', async () => {
    const editor = await person('flow_editor');
    expect((await editor.send('GET', '/api/v1/plays?flowId=nothing')).status).toBe(404);
    const event = { name: 'invoice.paid', payload: null };
    expect((await editor.send('POST', '/api/v1/events', { body: event })).status).toBe(202);
  });
});

describe('an answer that the document does not tell of', () => {
  const declared = new DeclaredAnswers(document);
  const headers = { 'x-request-id': 'r', 'content-type': 'application/json; charset=utf-8' };
  const faults = (method: string, url: string, status: number, body: unknown, more: object = {}) =>
    declared.faultsOf(method, url, { status, body, headers: { ...headers, ...more } });

  it('fails the spec that gets it: its status, code, headers, type or body', () => {
    const problem = { 'content-type': 'application/problem+json' };
    expect(faults('GET', '/health/live', 200, { status: 'ok' })).toEqual([]);
    expect(faults('GET', '/health/live', 418, {})).toEqual([expect.stringContaining('answers 418')]);
    expect(faults('GET', '/health/live', 200, { status: 'no' })).toEqual([expect.stringContaining('/status')]);
    expect(faults('GET', '/health/live', 200, { status: 'ok' }, { etag: '"1"' })).toEqual([
      expect.stringContaining('etag'),
    ]);
    expect(faults('GET', '/health/live', 200, '', { 'content-type': 'text/html' })).toEqual([
      expect.stringContaining('text/html'),
    ]);
    expect(faults('GET', '/api/v1/flows/x', 404, { code: 'ref_taken' }, problem)).toContainEqual(
      expect.stringContaining('/code'),
    );
    expect(faults('GET', '/api/flows/x', 200, {}, {})).toContainEqual(expect.stringContaining('no etag'));
  });
});
