import { z } from 'zod';

/** Of one layer: docs/layers.md. */
const MAX_PAGES = 10_000;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const FAIL_ON = /^(?:[1-5]xx|[1-9][0-9]{2}(?:-[1-9][0-9]{2})?)$/;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'expected a text, a number, true, false or null',
});
const queryValue = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(scalar)], {
  error: 'expected a text, a number, true, false, null or a list of those',
});

const expression = (says: string) => z.string().min(1).max(65_536).describe(says);

/** How a cursor is sent. */
const CURSOR_PLACES = ['param', 'header', 'field'] as const;
const WAYS = ['next', 'cursor', 'link'] as const;

const cursor = z
  .strictObject({
    from: expression('One expression over $page: the cursor for the next page; null or "": this was the last one.'),
    param: z.string().min(1).max(200).optional().describe('Name in the query in which it is sent.'),
    header: z.string().min(1).max(200).optional().describe('Name of the header in which it is sent.'),
    field: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('Field of the body in which it is sent, in dots: "variables.after".'),
  })
  .superRefine((value, context) => {
    if (CURSOR_PLACES.filter((name) => value[name] !== undefined).length === 1) return;
    context.addIssue({
      code: 'custom',
      message: `expected exactly one of ${CURSOR_PLACES.join(', ')}: where it is sent`,
    });
  });

const paginate = z
  .strictObject({
    next: expression(
      'One expression over $page: the address of the next page, which may be relative; null or "": this was the last one.',
    ).optional(),
    cursor: cursor.optional().describe('The next page is the same request with the cursor of the page before.'),
    link: z.boolean().optional().describe('The next page is in the header Link, as rel="next".'),
    until: expression('One expression over $page; when it is true, this was the last page.').optional(),
    maxPages: z.int().min(1).max(MAX_PAGES).default(100).describe('With more pages than that the layer fails.'),
  })
  .superRefine((value, context) => {
    if (WAYS.filter((name) => value[name] !== undefined && value[name] !== false).length === 1) return;
    context.addIssue({
      code: 'custom',
      message: `expected exactly one of ${WAYS.join(', ')}: how the next page is found`,
    });
  });

export const webRequestArgs = z.strictObject({
  url: z.string().min(1).max(16_384).describe('Where to send it: an absolute http or https address.'),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(METHODS))
    .default('GET')
    .describe('The HTTP method.')
    .meta({ enum: [...METHODS] }),
  headers: z
    .record(z.string(), scalar)
    .default({})
    .describe('Request headers by name; one that is null is left out. Idempotency-Key is added where it is not set.'),
  query: z
    .record(z.string(), queryValue)
    .default({})
    .describe('Added to the query of the url; a list repeats its name, null is left out.'),
  body: z
    .unknown()
    .optional()
    .describe(
      'A text is sent as it is, null not at all, any other value as JSON with the content type to match; or by bodyType.',
    ),
  bodyType: z
    .enum(['json', 'form', 'multipart', 'binary', 'text'])
    .optional()
    .describe(
      'How the body is sent. form: an object, a list repeats its name. multipart: an object or a list of { name, … }, whose files are ' +
        '{ $ref } of an upload or output, { content } or { base64 }, with filename and contentType. binary: { $ref }, or base64.',
    ),
  responseType: z
    .enum(['text', 'auto', 'file'])
    .default('text')
    .describe(
      'What the body of the answer becomes. text: a text, base64 where it is none. file: { $ref } of a stored file. auto: a file ' +
        'unless its content type is one of text, JSON or XML.',
    ),
  auth: z
    .strictObject({
      integrationId: z.string().min(1).max(64).describe('Id or key of an integration link of the company.'),
    })
    .optional()
    .describe(
      'Shows the credentials of an integration link in the way of its kind, whatever the other arguments say in that place.',
    ),
  timeoutMs: z
    .int()
    .min(1)
    .max(86_400_000)
    .optional()
    .describe(
      'Milliseconds for the whole exchange, redirects included; default and upper limit is the time limit of the layer.',
    ),
  followRedirects: z.boolean().default(true).describe('Follow up to 5 redirects, or take the first answer as it is.'),
  failOn: z
    .array(z.string().regex(FAIL_ON, 'expected a status like "404", a class like "4xx" or a range like "400-499"'))
    .max(100)
    // RFC 9110 §15: a status that does not exist means a fault of the server
    .default(['4xx', '5xx', '600-999'])
    .describe(
      'Statuses that fail the layer, e.g. "4xx", "404", "500-503"; an empty list means none. The output is kept either way.',
    ),
  paginate: paginate
    .optional()
    .describe(
      'Fetches page after page: the output is { pages, count }, each page with statusCode, headers and json. Only the expressions named here are evaluated.',
    ),
});

export type WebRequestArgs = z.output<typeof webRequestArgs>;

const fileValue = z.strictObject({
  $ref: z.string().describe('What later layers, and other flows, refer to it by.'),
  bytes: z.int(),
  contentType: z.string(),
  filename: z.string().nullable().describe('As the server named it.'),
  sha256: z.string(),
});

/** Of one answer; with `paginate` of all pages together. */
export const webRequestOut = z.strictObject({
  statusCode: z.int().optional().describe('The status of the last answer.'),
  body: z
    .union([z.string(), fileValue])
    .optional()
    .describe('The body as text; base64 where it is not text; or the file.'),
  bodyEncoding: z.literal('base64').optional().describe('There when the body is not text.'),
  headers: z.record(z.string(), z.string()).optional().describe('Names in lower case, repeated ones joined by ", ".'),
  cookies: z
    .array(z.looseObject({ name: z.string(), value: z.string() }))
    .optional()
    .describe(
      'The headers Set-Cookie one by one, where there are any, with their attributes: path, expires, httpOnly …',
    ),
  json: z.unknown().optional().describe('The body parsed, where its content type is JSON; else null.'),
  durationMs: z.int().optional().describe('Milliseconds from the first byte sent to the last received.'),
  pages: z
    .array(
      z.strictObject({
        statusCode: z.int(),
        headers: z.record(z.string(), z.string()),
        json: z.unknown(),
        url: z
          .string()
          .optional()
          .describe('Where a redirect led, without query: the next address may be relative to it.'),
      }),
    )
    .optional()
    .describe('Instead of all others where paginate is set: the answers in their order.'),
  count: z.int().optional().describe('How many pages there are.'),
});
