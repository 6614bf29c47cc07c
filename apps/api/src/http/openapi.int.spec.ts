import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { AUDIT_LOGS } from '@weft/store';
import { USERS, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';
import { policyOf } from '../auth/requires.js';

const { app, mongo, send, person } = await liveApi();

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { content?: unknown }>>;
}

type Path = Readonly<Record<string, Operation>> & { readonly 'x-alias'?: string };

const { status, body } = await send('GET', '/api/openapi.json');
const document = body as unknown as {
  openapi: string;
  paths: Record<string, Path>;
  components: { schemas: Record<string, unknown> };
};
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
/** Commands without a body. */
const BODYLESS = new Set([
  'Auth_logout',
  'Bulk_abort',
  'Checks_validate',
  'CompanyJobs_export',
  'Deliveries_replay',
  'Destinations_pause',
  'Destinations_release',
  'Flows_restore',
  'Groups_addMember',
  'Integrations_test',
  'Jobs_run',
  'PlayCommands_hold',
  'PlayCommands_release',
  'PlayRetries_retry',
  'Scheduler_run',
  'TestCases_run',
  'Triggers_listen',
  'Triggers_rotate',
  'Users_resetPassword',
  'Versions_restore',
  'WebhookDeliveries_replayOne',
  'WebhookDeliveries_test',
  'Webhooks_rotate',
]);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => method in item).map((method) => ({
    path,
    method,
    item,
    operation: item[method] as Operation,
  })),
);

/** Every handler of the process that has a policy (the process does not boot with one that has none). */
function served(): string[] {
  const discovery = app.get(DiscoveryService, { strict: false });
  const scanner = app.get(MetadataScanner, { strict: false });
  const handlers = discovery.getControllers().flatMap(({ metatype }) => {
    const { prototype, name } = metatype as unknown as { prototype: Record<string, object>; name: string };
    return scanner
      .getAllMethodNames(prototype)
      .filter((method) => Reflect.hasMetadata('path', prototype[method] as object))
      .map((method) => ({
        id: `${name.replace(/Controller$/, '')}_${method}`,
        handler: prototype[method] as object,
        metatype,
      }));
  });
  return handlers.filter(({ handler, metatype }) => policyOf(handler, metatype as object)).map(({ id }) => id);
}

describe('the OpenAPI document', () => {
  it('is 3.1 and public', () => {
    expect(status).toBe(200);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('misses no handler, and gives each operation a name of its own', () => {
    const shown = new Set(operations.map(({ operation }) => operation.operationId));
    expect(served().filter((id) => !shown.has(id))).toEqual([
      'ApiDocs_page',
      'ApiDocs_file',
      'Assets_file',
      'Root_show',
      'Mcp_call',
    ]);
    expect(shown.size).toBe(operations.length);
  });

  it('shows /api/v1 and names the alias', () => {
    const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/v1/'));
    expect(paths.length).toBeGreaterThan(80);
    for (const [path, item] of paths) expect(item['x-alias']).toBe(path.replace('/api/v1/', '/api/'));
  });

  it('says of every operation what it does, what it takes and what it answers', () => {
    const silent = operations
      .filter(({ operation, method }) => {
        const success = Object.entries(operation.responses).find(([code]) => code.startsWith('2'));
        const redirects = '302' in operation.responses;
        const answers =
          redirects || (success !== undefined && (success[0] === '204' || success[1].content !== undefined));
        const takes = method === 'get' || method === 'delete' || operation.requestBody !== undefined;
        return (
          !operation.summary ||
          !answers ||
          !(takes || BODYLESS.has(operation.operationId.replace(/_auth$/, ''))) ||
          !('default' in operation.responses)
        );
      })
      .map(({ method, path }) => `${method} ${path}`);
    expect(silent).toEqual([]);
  });

  it('says of a value of the caller’s own what it is for, and that it is free', () => {
    const { payload } = (document.components.schemas.EventBody as { properties: Record<string, object> }).properties;
    expect(payload).toEqual({ description: expect.any(String) as string, example: { amount: 12.5 } });
  });

  it('refers only to schemas that it has, and knows no nullable', () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(document.components.schemas).toHaveProperty(String(name));
    expect(text).not.toContain('"nullable"');
  });
});

/** docs/security.md S3: what a client must never be able to set by naming it. */
const NOT_THEIRS = [
  '_id',
  'id',
  'company_id',
  'createdBy',
  'token',
  'state',
  'scope',
  'isAdmin',
  '$set',
  'filtered',
  '__proto__',
];

describe('a body', () => {
  const schemas = document.components.schemas as Record<string, { properties?: Record<string, unknown> }>;

  function fieldsOf(operation: Operation): readonly string[] {
    const name = /"#\/components\/schemas\/([^"]+)"/.exec(JSON.stringify(operation.requestBody))?.[1];
    return Object.keys(schemas[name ?? '']?.properties ?? {});
  }

  it("of any operation cannot name what is not the caller's to set", async () => {
    const operator = await person('admin');
    const users = mongo.collection<UserDocument>(USERS);
    await users.updateOne({ _id: operator.userId }, { $set: { operator: true } });
    // a delivery to a trigger may be of any type
    const taking = operations.filter(({ operation }) => operation.requestBody?.content['application/json']);
    expect(taking.length).toBeGreaterThan(15);
    const before = await mongo.collection(AUDIT_LOGS).countDocuments({ company_id: operator.scope.companyId });
    const accepted: string[] = [];
    for (const { method, path, operation } of taking) {
      const names = NOT_THEIRS.filter((name) => !fieldsOf(operation).includes(name));
      const url = path.replace(/\{[^}]+\}/g, operator.userId);
      const answers = await Promise.all(
        names.map((name) => operator.send(method.toUpperCase(), url, { body: `{${JSON.stringify(name)}:{}}` })),
      );
      answers.forEach(({ status }, at) => status === 400 || accepted.push(`${method} ${path} ${names[at]}: ${status}`));
    }
    expect(accepted).toEqual([]);
    expect(await mongo.collection(AUDIT_LOGS).countDocuments({ company_id: operator.scope.companyId })).toBe(before);
  });
});
