import { DURATION_SAYS, RETENTION_SCOPES } from '@weft/retention';
import { FlagField, IntField, TextField } from '../http/fields.js';
import { TextParam } from '../http/query-fields.js';

const MOST_ENTRIES = 1_000_000_000;
const SCOPE_SAYS = `One of ${RETENTION_SCOPES.join(', ')}; of a policy for one flow: nothing.`;

export class CreatePolicyBody {
  @TextField({ description: SCOPE_SAYS, max: 40, optional: true, nullable: true, example: 'plays' })
  readonly scope?: string | null;

  @TextField({ description: `How long entries stay: ${DURATION_SAYS}.`, max: 20, example: '30d' })
  readonly cadence: string;

  @IntField({ description: 'The newest entries that stay, however old.', min: 0, max: MOST_ENTRIES, optional: true })
  readonly min_entries?: number;

  @TextField({
    description: 'No entry younger than this goes, whatever other policies say.',
    max: 20,
    optional: true,
    example: '0',
  })
  readonly enforced_minimum?: string;

  @FlagField({ description: 'By default true.', optional: true })
  readonly enabled?: boolean;

  @TextField({ description: 'For the plays of this flow only.', max: 64, optional: true, nullable: true })
  readonly flow_id?: string | null;

  @TextField({
    description: 'For the plays of the flows of this group; the scope is flows.group.',
    max: 64,
    optional: true,
    nullable: true,
  })
  readonly flow_group_id?: string | null;
}

export class PreviewPolicyBody extends CreatePolicyBody {
  @TextField({
    description: 'The policy in whose place this one is counted; without it, this one is counted as a further one.',
    max: 64,
    optional: true,
  })
  readonly id?: string;
}

export class UpdatePolicyBody {
  @TextField({ description: SCOPE_SAYS, max: 40, optional: true, nullable: true })
  readonly scope?: string | null;

  @TextField({ description: `How long entries stay: ${DURATION_SAYS}.`, max: 20, optional: true, example: '30d' })
  readonly cadence?: string;

  @IntField({ description: 'The newest entries that stay, however old.', min: 0, max: MOST_ENTRIES, optional: true })
  readonly min_entries?: number;

  @TextField({ description: 'No entry younger than this goes.', max: 20, optional: true })
  readonly enforced_minimum?: string;

  @FlagField({
    description: 'A policy that is not enabled is as if it were not there; see docs/retention.md.',
    optional: true,
  })
  readonly enabled?: boolean;

  @TextField({ description: 'For the plays of this flow only.', max: 64, optional: true, nullable: true })
  readonly flow_id?: string | null;

  @TextField({ description: 'For the plays of the flows of this group.', max: 64, optional: true, nullable: true })
  readonly flow_group_id?: string | null;
}

export class ListPoliciesQuery {
  @TextParam('The company that you act in; there is no looking into another one.', 64)
  readonly company_id?: string;
}
