import { z } from 'zod';

/** docs/layers.md, s3: an object that is sent or received in one request. */
export const MAX_OBJECT_BYTES = 67_108_864;
const MAX_PAGES = 10_000;
const MAX_KEY_BYTES = 1_024;
const WEEK_SECONDS = 604_800;

export const OPS = ['get', 'put', 'head', 'delete', 'list', 'copy', 'presign'] as const;
type Op = (typeof OPS)[number];

const NO_CONTROL = /^[^\p{Cc}]*$/u;
// an address has no other place for them: what resolves it takes them for steps up
const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/;

const bucket = z
  .string()
  .regex(/^[A-Za-z\d][A-Za-z\d._-]{1,253}[A-Za-z\d]$/, 'expected the name of a bucket: letters, digits, ".", "-", "_"');
const key = z
  .string()
  .min(1)
  .max(MAX_KEY_BYTES)
  .regex(NO_CONTROL, 'expected no control characters')
  .refine((text) => Buffer.byteLength(text) <= MAX_KEY_BYTES, `expected at most ${MAX_KEY_BYTES} bytes`)
  .refine((text) => !DOTS.test(text), 'expected no part "." or "..": addresses cannot have one');
const part = z.string().max(MAX_KEY_BYTES).regex(NO_CONTROL, 'expected no control characters');

/** Which arguments an operation takes besides the link and the bucket. */
const TAKES: Readonly<Record<Op, { readonly needs: readonly string[]; readonly may: readonly string[] }>> = {
  get: { needs: ['key'], may: [] },
  put: { needs: ['key', 'body'], may: ['contentType', 'ifNoneMatch'] },
  head: { needs: ['key'], may: [] },
  delete: { needs: ['key'], may: [] },
  list: { needs: [], may: ['prefix', 'after', 'max', 'paginate'] },
  copy: { needs: ['key', 'from'], may: [] },
  presign: { needs: ['key'], may: ['method', 'contentType', 'expiresIn'] },
};

const paginate = z.strictObject({
  until: z
    .string()
    .min(1)
    .max(65_536)
    .optional()
    .describe('One expression over $page; when it is true, this was the last page.'),
  maxPages: z.int().min(1).max(MAX_PAGES).default(100).describe('With more pages than that the layer fails.'),
});

export const s3Args = z
  .strictObject({
    integrationId: z.string().min(1).max(64).describe('Id or key of an integration link of the kind aws_sigv4.'),
    op: z.enum(OPS).describe('What to do: presign makes an address for others, the rest is done now.'),
    bucket: bucket.describe('Name of the bucket.'),
    key: key.optional().describe('Key of the object; all but list need it.'),
    body: z
      .unknown()
      .optional()
      .describe('For put: { $ref } of a file, a text, { content } or { base64 }; up to 64 MB.'),
    contentType: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\x20-\x7e]+$/, 'expected printable ASCII')
      .optional()
      .describe(
        'For put: the type of the object; default: that of the file. For presign of a PUT: the type that must be sent.',
      ),
    ifNoneMatch: z.enum(['*']).optional().describe('For put: fails with precondition_failed where the object exists.'),
    from: z
      .strictObject({ bucket: bucket.optional(), key })
      .optional()
      .describe('For copy: key, and bucket if it is another one, of the object to copy.'),
    prefix: part.nullable().optional().describe('For list: how the keys begin.'),
    after: part
      .nullable()
      .optional()
      .describe('For list: only keys after this one, such as next of the list before; null: from the first.'),
    max: z.int().min(1).max(1_000).optional().describe('For list: the most items of one answer; default: 1,000.'),
    method: z.enum(['GET', 'PUT']).optional().describe('For presign: what the address allows; default: GET.'),
    expiresIn: z
      .int()
      .min(1)
      .max(WEEK_SECONDS)
      .optional()
      .describe('For presign: seconds until the address ends, up to a week; default: 3,600.'),
    paginate: paginate
      .optional()
      .describe('For list: fetches list after list; the output is { pages, count }, each page with items and next.'),
  })
  .superRefine((value, context) => {
    const { op } = value;
    const { needs, may } = TAKES[op];
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const [name, given] of Object.entries(value)) {
      const isCommon = name === 'integrationId' || name === 'op' || name === 'bucket';
      if (given === undefined || given === null || isCommon || needs.includes(name) || may.includes(name)) continue;
      refuse(name, `${op} takes no ${name}`);
    }
    for (const name of needs) {
      const given = (value as Readonly<Record<string, unknown>>)[name];
      if (given === undefined || given === null) refuse(name, `${op} needs ${name}`);
    }
    if (op === 'presign' && value.contentType !== undefined && value.method !== 'PUT') {
      refuse('contentType', 'presign of a GET takes no contentType');
    }
  });

export type S3Args = z.output<typeof s3Args>;

const item = z.strictObject({
  key: z.string(),
  bytes: z.int(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable().describe('ISO 8601.'),
});
const file = z.strictObject({
  $ref: z.string(),
  bytes: z.int(),
  contentType: z.string(),
  filename: z.string().nullable(),
  sha256: z.string(),
});

export const s3Out = z.strictObject({
  bucket: z.string().optional().describe('As asked for.'),
  key: z.string().optional().describe('As asked for.'),
  file: file.optional().describe('Of get: the object as a stored file.'),
  bytes: z.int().nullable().optional().describe('Of get, head and put: the size of the object.'),
  contentType: z.string().nullable().optional().describe('Of get and head.'),
  etag: z
    .string()
    .nullable()
    .optional()
    .describe('Of get, head, put and copy: the version of the content, without quotes.'),
  lastModified: z.string().nullable().optional().describe('Of get and head, in ISO 8601.'),
  versionId: z.string().nullable().optional().describe('In buckets that keep versions.'),
  items: z.array(item).optional().describe('Of list, in the order of the keys.'),
  next: z
    .string()
    .nullable()
    .optional()
    .describe('Of list: what to give as after for what follows; null: nothing does.'),
  url: z.string().optional().describe('Of presign: a credential, which anybody who has it may use until it ends.'),
  expiresAt: z.string().optional().describe('Of presign: when it ends, in ISO 8601.'),
  pages: z
    .array(z.strictObject({ items: z.array(item), next: z.string().nullable() }))
    .optional()
    .describe('With paginate, instead of all others.'),
  count: z.int().optional().describe('How many pages there are.'),
});
