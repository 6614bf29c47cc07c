import { FlagField, FreeObjectField, IdListField, NameField, NestedField, TextField } from '../http/fields.js';
import { PageQuery } from '../http/paging.js';
import { TextParam } from '../http/query-fields.js';
import { keyField } from '../http/resource-key.js';

/** A pasted document is a body of a request; a larger one is uploaded. */
const MAX_PASTED = 1_000_000;
/** Without user name, password and fragment: whoever may read the API sees the address. */
const HTTP_URL = /^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/i;
const BASE_URL = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i;

class ApiSourceBody {
  @TextField({
    description:
      'Address of the document; Weft fetches it as layers call: public addresses, and those that an operator allows.',
    min: 1,
    max: 2_000,
    pattern: HTTP_URL,
    patternSays: 'source.url must be an http or https address without user name, password and fragment',
    optional: true,
    example: 'https://api.example.com/openapi.json',
  })
  readonly url?: string;

  @TextField({ description: 'The document itself, as JSON or YAML.', min: 1, max: MAX_PASTED, optional: true })
  readonly document?: string;

  @FreeObjectField({
    description: 'A document that was uploaded by POST /payloads: `{ $ref }` of its answer.',
    optional: true,
  })
  readonly payload?: Readonly<Record<string, unknown>>;
}

export type ApiSourceGiven = ApiSourceBody;

export const apiName = { description: 'What people call it.', example: 'Orders of the shop' };
export const apiKey = keyField('What layers may name it by instead of its id; unique in the company.', 'orders');
const integrationId = {
  description:
    'The link of the API: the document is fetched with it where that is at the origin of its endpoint, and forms of layers begin with it. Layers name their own.',
  min: 1,
  max: 64,
  optional: true,
  nullable: true,
};
const baseUrl = {
  description: 'Takes the place of the servers of the document, for an installation of your own; null: those hold.',
  min: 1,
  max: 2_000,
  pattern: BASE_URL,
  patternSays: 'baseUrl must be an address like https://github.example.com/api/v3, without query',
  optional: true,
  nullable: true,
};
const source = {
  description: 'Where the document is: exactly one of url, document and payload.',
  suchAs: { url: 'https://api.example.com/openapi.json' },
};

export class UpdateApiBody {
  @NameField({ ...apiName, optional: true }) readonly name?: string;
  @TextField(apiKey) readonly key?: string | null;
  @TextField(integrationId) readonly integrationId?: string | null;
  @TextField(baseUrl) readonly baseUrl?: string | null;

  @FreeObjectField({
    description:
      'An OpenAPI Overlay 1.0, which mends the document at each import from the next one on; null: none. Its targets see the document as one of OpenAPI 3.1.',
    optional: true,
    nullable: true,
    example: { overlay: '1.0.0', actions: [{ target: "$.paths['/internal']", remove: true }] },
  })
  readonly overlay?: Readonly<Record<string, unknown>> | null;
}

export class CreateApiBody {
  @NameField(apiName) readonly name: string;
  @TextField(apiKey) readonly key?: string | null;
  @TextField(integrationId) readonly integrationId?: string | null;
  @TextField(baseUrl) readonly baseUrl?: string | null;
  @NestedField(ApiSourceBody, source) readonly source: ApiSourceBody;
}

export class RefreshApiBody {
  @FlagField({
    description: 'Only compare: the operations stay as they are. Default: false.',
    optional: true,
    example: true,
  })
  readonly dryRun?: boolean;

  @NestedField(ApiSourceBody, {
    ...source,
    description: `Another document than before, from now on unless dryRun. ${source.description}`,
    optional: true,
  })
  readonly source?: ApiSourceBody;
}

export class AdoptApiBody {
  @IdListField({ description: 'Ids of flows that the caller may edit.', max: 50, example: ['06dqx3v8k2m7w0r5t9ya'] })
  readonly flows: string[];
}

export class ListOperationsQuery extends PageQuery {
  @TextParam('Part of the name, the title, the method or the path, in any case.')
  readonly q?: string;

  @TextParam('A tag of the document.')
  readonly tag?: string;
}

export class ReadOperationQuery {
  @TextParam('Digest of one that is not current any more, to which layers may be pinned. Default: the current one.')
  readonly digest?: string;
}
