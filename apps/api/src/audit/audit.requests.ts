import { AUDIT_ACTIONS, type AuditAction } from '@weft/store';
import { ChoiceParam, FlagParam, IntParam, TextParam, TimeParam } from '../http/query-fields.js';

const OF_INSTALLATION =
  'True: instead of the company’s log that of what belongs to no company, such as sign-ins of unknown accounts; for operators.';

class AuditFilterQuery {
  @FlagParam(OF_INSTALLATION)
  readonly installation?: boolean;

  @ChoiceParam('Entries of this action.', AUDIT_ACTIONS)
  readonly action?: AuditAction;

  @TextParam('What this user did, by id or e-mail address; addresses are forgotten after 30 days.', 320)
  readonly actor?: string;

  @TextParam('About things of this kind, for example `flow`.')
  readonly resource_type?: string;

  @TextParam('About the thing with this id.')
  readonly resource_id?: string;

  @TimeParam('Written at this time or later.')
  readonly from?: Date;

  @TimeParam('Written before this time.')
  readonly to?: Date;
}

export const EXPORT_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export class ListAuditQuery extends AuditFilterQuery {
  @IntParam('Entries per page.', 1, 1_000, 100)
  readonly limit?: number;

  @TextParam('`nextCursor` of the page before.')
  readonly cursor?: string;
}

export class ExportAuditQuery extends AuditFilterQuery {
  @ChoiceParam('What the file is: csv unless told.', EXPORT_FORMATS)
  readonly format?: ExportFormat;
}

export class VerifyAuditQuery {
  @FlagParam(OF_INSTALLATION)
  readonly installation?: boolean;
}
