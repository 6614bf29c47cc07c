import { PageQuery } from '../http/paging.js';
import { ChoiceParam } from '../http/query-fields.js';
import { ChoiceField, IntField, TextField } from '../http/fields.js';

const comment = {
  description: 'Given out by the layer, and kept in the audit log.',
  max: 2_000,
  optional: true,
  nullable: true,
  example: 'Within the budget.',
};

export class DecideBody {
  @ChoiceField({ description: '`reject` fails the layer with `rejected`.', of: ['approve', 'reject'] })
  readonly decision: 'approve' | 'reject';

  @TextField(comment) readonly comment?: string | null;

  @IntField({
    description: 'Of an agent: the step that is decided, as the list of open approvals has it.',
    min: 0,
    max: 100_000,
    optional: true,
  })
  readonly step?: number;
}

export class ApprovalLinkBody {
  @TextField({
    description: 'What stands in the link behind the #.',
    min: 1,
    max: 2_000,
    example: 'v1.MDZkcXgzdjhrMm03',
  })
  readonly token: string;
}

export class DecideByLinkBody extends ApprovalLinkBody {
  @ChoiceField({ description: '`reject` fails the layer with `rejected`.', of: ['approve', 'reject'] })
  readonly decision: 'approve' | 'reject';

  @TextField(comment) readonly comment?: string | null;
}

export class ListApprovalsQuery extends PageQuery {
  @ChoiceParam('Only those that the caller may decide.', ['true'])
  readonly mine?: 'true';
}
