/**
 * Accepted or nearly accepted bodies that cost as much work as their operation allows, where the schema is not enough to generate
 * them. For an operation without a row here, `worst-bodies.ts` generates bodies from its schema.
 */
import { FREE_KINDS, FREE_OBJECTS, MEGABYTE } from './worst-values.js';

export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly text?: string;
}

/** A request that is made anew each time that it is sent. */
export interface Worst {
  readonly what: string;
  readonly make: () => Promise<Shot>;
}

/** What the rows send to. */
export interface World {
  /** A flow without layers that nothing else uses. */
  newFlow(): Promise<string>;
  /** The layer of a flow that has one. */
  newLayer(): Promise<{ readonly flowId: string; readonly layerId: string }>;
  /** The path to which the deliveries of a trigger with these fields are sent. */
  newHook(fields: object): Promise<string>;
}

/** Sizes of free values in a layer: a megabyte, and what may be taken of the smallest values. */
const SIZES = [MEGABYTE, 500_000, 95_000];

const layer = (ref: string, args: string, appId = 'transform'): string =>
  `{"ref":${JSON.stringify(ref)},"appId":"${appId}","args":${args}}`;
const input = (value: string): string => `{"expression":"1","input":${value}}`;

/** Patterns of the longest length that are much to put together. */
const PATTERNS = [
  'a{1,1000}'.repeat(110),
  '(?i)' + '[a-\\x{10FFFE}]'.repeat(60),
  '[' + '\\pL\\PL'.repeat(160) + ']',
  '(?i)' + '\\pL'.repeat(330),
  '((a{30}){30}){30}',
  '('.repeat(480) + ')'.repeat(480),
  'a{30}(?i){30}'.repeat(70),
];

/** Arguments of layers, each a field of its own that lets the module do as much as it may when the flow is saved. */
const ARGS: Readonly<Record<string, string>> = {
  'many small expressions': input(`[${Array.from({ length: 1_300 }, () => '"{{1+1}}"').join(',')}]`),
  'a long expression': `{"expression":"[${'a.b+c,'.repeat(10_000)}1]"}`,
  'an expression of brackets': `{"expression":"${'['.repeat(30_000)}${']'.repeat(30_000)}"}`,
  'an expression that defaults repeat': input(`"{{ ${'(a ?? '.repeat(2_000)}1${')'.repeat(2_000)} }}"`),
  'paths in one text': input(`"${'{{.a}}'.repeat(10_000)}"`),
  'references that lead nowhere': input(
    `[${Array.from({ length: 1_000 }, (_, i) => `"{{.${'z'.repeat(50)}${i}.o}}"`).join(',')}]`,
  ),
};

const pattern = (text: string): string => JSON.stringify({ source: 'x', kind: 'regex', pattern: text });

/** 500 layers, or as many as a megabyte has room for. */
function document(layers: readonly string[]): string {
  const taken: string[] = [];
  for (let i = 0, bytes = 0; i < layers.length && bytes + (layers[i]?.length ?? 0) < MEGABYTE; i += 1) {
    taken.push(layers[i] as string);
    bytes += (layers[i]?.length ?? 0) + 1;
  }
  return `{"document":{"schema":"weft.flow/1","name":"x","layers":[${taken.join(',')}]}}`;
}

const times500 = (make: (i: number) => string): string => document(Array.from({ length: 500 }, (_, i) => make(i)));

/** Documents of flows that are as much as a flow may be: to be imported, and read in every way. */
export const FULLEST_FLOWS: Readonly<Record<string, string>> = {
  'all values': times500((i) => layer(`l${i}`, input(`[${'1,'.repeat(80)}1]`))),
  'all fields': times500((i) =>
    layer(`l${i}`, input(`{${Array.from({ length: 80 }, (_, n) => `"${(i * 80 + n).toString(36)}":1`).join(',')}}`)),
  ),
  'all expressions': times500((i) =>
    layer(`l${i}`, input(`[${Array.from({ length: 80 }, (_, n) => `"{{.l${(i + n) % 600}.x}}"`).join(',')}]`)),
  ),
  'a megabyte of text': times500((i) => layer(`l${i}`, input(`"${'x'.repeat(1_900)}"`))),
};

type Row = (world: World) => Generator<Worst>;

function* eachLayer(make: (layer: string) => Promise<Shot>): Generator<Worst> {
  for (const bytes of SIZES) {
    for (const [what, kind] of Object.entries({ ...FREE_KINDS, ...FREE_OBJECTS })) {
      yield { what: `${what}, ${bytes} bytes`, make: () => make(layer('worst', input(kind(bytes)))) };
    }
  }
  for (const [what, args] of Object.entries(ARGS)) yield { what, make: () => make(layer('worst', args)) };
  for (const each of PATTERNS) {
    yield { what: each.slice(0, 20), make: () => make(layer('worst', pattern(each), 'text-extraction')) };
  }
}

function changedLayer(method: string): Row {
  return (world) =>
    eachLayer(async (text) => {
      const { flowId, layerId } = await world.newLayer();
      return { method, path: `/api/v1/flows/${flowId}/layers/${layerId}`, text };
    });
}

function* documents(): Generator<readonly [what: string, text: string]> {
  yield* Object.entries(FULLEST_FLOWS);
  for (const each of PATTERNS) {
    yield [`layers with ${each.slice(0, 20)}`, times500((i) => layer(`l${i}`, pattern(each), 'text-extraction'))];
  }
  const withField = (field: string): string => `{"document":{"schema":"weft.flow/1","name":"x",${field}}}`;
  for (const [what, kind] of Object.entries({ ...FREE_KINDS, ...FREE_OBJECTS })) {
    const free = kind(MEGABYTE - 200);
    yield [`a layer of ${what}`, withField(`"layers":[${layer('l', input(free))}]`)];
    yield [`layers: ${what}`, withField(`"layers":${free}`)];
    yield [`variables: ${what}`, withField(`"blueprintVars":${free}`)];
    yield [`unknown field: ${what}`, withField(`"x":${free}`)];
    const oneCase = `{"name":"x","args":{"a":${kind(120_000)}}}`;
    yield [`cases of ${what}`, withField(`"testCases":[${Array.from({ length: 8 }, () => oneCase).join(',')}]`)];
  }
}

/** Fields of a trigger that let one delivery be as much work as it may. */
const TRIGGERS: Readonly<Record<string, object>> = {
  'as it comes': {},
  'as a value, often': { args: { all: Array.from({ length: 400 }, () => '{{ $hook.body }}') } },
  'as text, often': { args: { all: '{{ $hook.body }} '.repeat(500) } },
  'by an expression': { args: { all: '{{ [$hook.body, $hook.body, $hook.body] }}' } },
};

export const ROWS: Readonly<Record<string, Row>> = {
  'POST /api/v1/flows/:flowId/layers': (world) =>
    eachLayer(async (text) => ({ method: 'POST', path: `/api/v1/flows/${await world.newFlow()}/layers`, text })),
  'PATCH /api/v1/flows/:flowId/layers/:layerId': changedLayer('PATCH'),
  *'POST /hooks/:token'(world) {
    for (const [how, fields] of Object.entries(TRIGGERS)) {
      let hook: Promise<string> | undefined;
      const kinds = how === 'as it comes' ? { ...FREE_KINDS, ...FREE_OBJECTS } : { numbers: FREE_KINDS.numbers };
      for (const [what, kind] of Object.entries(kinds)) {
        const text = kind?.(MEGABYTE);
        yield {
          what: `${what} ${how}`,
          make: async () => ({ method: 'POST', path: await (hook ??= world.newHook(fields)), text }),
        };
      }
    }
  },
  *'POST /api/v1/flows/:flowId/triggers'(world) {
    const long = `{{ [${'$hook.b+$hook.c,'.repeat(900)}1] }}`;
    const rows = {
      'a long condition': { when: long },
      'long expressions': { args: { all: long } },
      'many small expressions': { args: { all: Array.from({ length: 1_300 }, () => '{{1+1}}') } },
      'paths in one text': { args: { all: '{{$hook.a}}'.repeat(1_400) } },
      'references that lead nowhere': { args: { all: Array.from({ length: 1_000 }, (_, i) => `{{.a${i}}}`) } },
    };
    for (const [what, fields] of Object.entries(rows)) {
      const text = JSON.stringify({ name: 'worst', verifier: { type: 'none' }, ...fields });
      const make = async () => ({ method: 'POST', path: `/api/v1/flows/${await world.newFlow()}/triggers`, text });
      yield { what, make };
    }
  },
  *'POST /api/v1/flows/import'() {
    for (const [what, text] of documents()) {
      yield { what, make: () => Promise.resolve({ method: 'POST', path: '/api/v1/flows/import', text }) };
    }
  },
};
