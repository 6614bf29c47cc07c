import { USERS, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { namesOf, operationsOf, type OpenApiDocument } from '../../../../../test/api/described-operations.js';
import { faultsOf, schemaCompiler } from '../../../../../test/api/json-schema.js';
import { liveApi, newId, textOf } from '../../../../../test/api/live-api.js';

const { mongo, send, person, signIn } = await liveApi();
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApiDocument;

const bodies = operationsOf(document).flatMap((place) => {
  const media = place.operation.requestBody?.content['application/json'];
  return media ? [{ ...place, media, example: media.example as object | undefined }] : [];
});

describe('the example of a body', () => {
  it('is there for each, and fits the schema', () => {
    const compile = schemaCompiler(document.components.schemas ?? {});
    expect(bodies.length).toBeGreaterThan(40);
    expect(namesOf(bodies.filter(({ example }) => example === undefined))).toEqual([]);
    const wrong = bodies.map(({ method, path, media, example }) => [
      `${method} ${path}`,
      faultsOf(compile(media.schema), example),
    ]);
    expect(wrong.filter(([, faults]) => faults?.length !== 0)).toEqual([]);
  });

  it('is taken as it stands: nothing but the names and ids in it is refused', async () => {
    const admin = await person('admin');
    await mongo.collection<UserDocument>(USERS).updateOne({ _id: admin.userId }, { $set: { operator: true } });
    const flow = await admin.send('POST', '/api/v1/flows', { body: { name: 'one to try things on' } });
    const flowId = textOf(flow.body.id);
    const refused: string[] = [];
    let taken = 0;
    for (const { method, path, example } of bodies) {
      const url = path.replace(/flows\/\{\w+\}/, `flows/${flowId}`).replace(/\{\w+\}/g, () => newId());
      const body = withIds(example ?? {}, { flowId, flow_id: flowId, company_id: admin.scope.companyId });
      const cookie = await signIn(admin.userId, admin.scope.companyId); // a body may end the session that sends it
      const answer = await send(method.toUpperCase(), url, { body, headers: { cookie } });
      const { code } = answer.body as unknown as { code?: string };
      if (answer.status < 300) taken += 1;
      const isOfShape = answer.status === 400 || (answer.status === 422 && !OF_WHAT_IS_THERE.has(code ?? ''));
      if (isOfShape) refused.push(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    }
    expect(refused).toEqual([]);
    expect(taken).toBeGreaterThan(15);
  });
});

/** What an example names need not be in the flow that it is sent to. */
const OF_WHAT_IS_THERE: ReadonlySet<string> = new Set(['unknown_id', 'unknown_blueprint_vars', 'unresolved_refs']);

/** With ids that exist in the place of made-up ones, by the names of their fields. */
function withIds(value: object, ids: Readonly<Record<string, string | undefined>>): object {
  return JSON.parse(
    JSON.stringify(value, (name, each: unknown) => (typeof each === 'string' && ids[name]) || each),
  ) as object;
}
