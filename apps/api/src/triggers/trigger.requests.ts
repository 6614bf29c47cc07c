import type { Labels } from '@weft/contracts';
import {
  ChoiceField,
  FlagField,
  FreeObjectField,
  IntField,
  NameField,
  NameListField,
  NestedField,
  TextField,
} from '../http/fields.js';
import { LabelsField } from '../http/labels.js';
import { ALGORITHMS, ENCODINGS, type Algorithm, type Encoding } from './verifying/signature-scheme.js';
import { VERIFIER_TYPES, type VerifierType } from './verifying/verify-delivery.js';

const MAX_WAIT_MS = 30_000;
const MAX_EXPRESSION = 16_384;
const MAX_SECRETS = 5;
const MAX_SECRET_NAMES = 50;
const HEADER = {
  min: 1,
  max: 100,
  pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  patternSays: '$property must be the name of a header',
};
/** Room for a key in Base64 and its prefix. The sender chooses it: some give short ones for tests. */
const SECRET = /^[\x20-\x7e]{4,500}$/;
const SECRET_SAYS = 'each of $property must have 4 to 500 characters of ASCII: letters, digits, signs and blanks';
const SECRET_NAME = /^[\x21-\x7e]{1,100}$/;
const VISIBLE = /^[\x21-\x7e]+$/;

/** Which fields belong to which type is checked when the body is read (`readVerifier`). */
export class VerifierBody {
  @ChoiceField({ description: 'Who is trusted: see the page on triggers.', of: VERIFIER_TYPES })
  readonly type: VerifierType;

  @TextField({ description: 'Of `basic`.', min: 1, max: 200, optional: true })
  readonly username?: string;

  @TextField({ description: 'Of `basic`; never shown again.', min: 8, max: 500, optional: true })
  readonly password?: string;

  @TextField({ description: 'Of `bearer`; never shown again.', min: 8, max: 500, pattern: VISIBLE, optional: true })
  readonly token?: string;

  @TextField({ description: 'Of `hmac`: the header with the signature.', ...HEADER, optional: true })
  readonly header?: string;

  @ChoiceField({ description: 'Of `hmac`; default: sha256.', of: ALGORITHMS, optional: true })
  readonly algorithm?: Algorithm;

  @ChoiceField({ description: 'Of the signature, of `hmac`; default: hex.', of: ENCODINGS, optional: true })
  readonly encoding?: Encoding;

  @TextField({ description: 'Before the signature, of `hmac`, for example `sha256=`.', max: 50, optional: true })
  readonly prefix?: string;

  @TextField({
    description: 'What is signed, of `hmac`: text with `{body}`, `{timestamp}` and `{id}`; default: `{body}`.',
    min: 1,
    max: 200,
    optional: true,
  })
  readonly template?: string;

  @TextField({ description: 'Of `hmac`: the header with the id.', ...HEADER, optional: true, nullable: true })
  readonly id_header?: string | null;

  @TextField({ description: 'Of `hmac`: the header with Unix seconds.', ...HEADER, optional: true, nullable: true })
  readonly timestamp_header?: string | null;

  @IntField({ description: 'Of `hmac`: age of the timestamp; default: 300.', min: 1, max: 86_400, optional: true })
  readonly tolerance_seconds?: number;

  @NameListField({
    description: 'Up to five, of which one is enough, so that they can be rotated; never shown again.',
    max: MAX_SECRETS,
    pattern: SECRET,
    patternSays: SECRET_SAYS,
    optional: true,
  })
  readonly secrets?: string[];
}

/** One of the two. */
export class DedupeBody {
  @TextField({ description: 'The header with the id of the delivery.', ...HEADER, optional: true })
  readonly header?: string;

  @TextField({ description: 'An expression for it.', min: 1, max: 1_000, optional: true })
  readonly expression?: string;
}

const NAME = { description: 'For people.', example: 'orders of the shop' };
const VERIFIER = { description: 'How a delivery proves who sent it. A change replaces it; secrets left out stay.' };

export class UpdateTriggerBody {
  @NameField({ ...NAME, optional: true })
  readonly name?: string;

  @NestedField(VerifierBody, { ...VERIFIER, optional: true })
  readonly verifier?: VerifierBody;

  @NestedField(DedupeBody, {
    description: 'Where the id of a delivery is. Default: where the sender’s type has it.',
    optional: true,
    nullable: true,
  })
  readonly dedupe?: DedupeBody | null;

  @TextField({
    description: 'A condition over `$hook`: deliveries for which it is false run nothing.',
    min: 1,
    max: MAX_EXPRESSION,
    optional: true,
    nullable: true,
  })
  readonly when?: string | null;

  @FreeObjectField({
    description: 'Args of the run, with expressions over `$hook`. Default: `{ body, headers, query }`.',
    optional: true,
    nullable: true,
  })
  readonly args?: Readonly<Record<string, unknown>> | null;

  @NameListField({
    description:
      'Headers and query parameters, in any case, whose values are replaced by `[secret]`, besides those whose names indicate credentials.',
    max: MAX_SECRET_NAMES,
    pattern: SECRET_NAME,
    optional: true,
    example: ['x-customer-number'],
  })
  readonly secret_names?: string[];

  @LabelsField('Of its plays.')
  readonly labels?: Labels;

  @IntField({
    description: 'Milliseconds for which the answer is held for the outcome. Default: 0.',
    min: 0,
    max: MAX_WAIT_MS,
    optional: true,
  })
  readonly wait?: number;

  @FlagField({ description: 'False: deliveries are answered with 404. Default: true.', optional: true })
  readonly enabled?: boolean;
}

export class CreateTriggerBody extends UpdateTriggerBody {
  @NameField(NAME)
  declare readonly name: string;

  @NestedField(VerifierBody, VERIFIER)
  declare readonly verifier: VerifierBody;
}
