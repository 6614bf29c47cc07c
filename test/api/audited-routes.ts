import type { AuditAction } from '@weft/store';

/** Actions of which a call records at least one each, or why it records nothing. */
export type Audited = readonly AuditAction[] | { readonly none: string };

const RUN = { none: 'runs are not audited: the play is their record' };
const ASKS = { none: 'changes nothing' };

/**
 * Every operation that is not GET, under its path without prefix: what it leaves in the audit log. The walk of
 * `apps/api/src/audit/audited-routes.int.spec.ts` calls each that records something, and holds this table against the routes.
 */
const TABLE: Readonly<Record<string, Audited>> = {
  'POST /auth/login': ['login_succeeded'],
  'POST /auth/logout': ['logout'],
  'POST /auth/switch-company': ['company_switched', 'session_ended'],
  'DELETE /auth/sessions': ['session_ended'],
  'DELETE /auth/sessions/:id': ['session_ended'],
  'DELETE /auth/identities/:id': ['external_identity_unlinked'],
  'POST /auth/password': ['password_changed'],
  'POST /auth/password/accept': ['password_changed'],
  'POST /auth/api-keys': ['api_key_created'],
  'POST /admin/api-keys': ['api_key_created'],
  'DELETE /admin/api-keys/:key_id': ['api_key_revoked'],

  'POST /users': ['user_created'],
  'PATCH /users/:id': ['user_updated', 'role_changed'],
  'DELETE /users/:id': ['user_removed'],
  'POST /users/:id/password-reset': ['password_reset'],
  'POST /groups': ['group_created'],
  'PATCH /groups/:id': ['group_updated'],
  'DELETE /groups/:id': ['group_deleted'],
  'PUT /groups/:id/members/:user_id': ['group_member_added'],
  'DELETE /groups/:id/members/:user_id': ['group_member_removed'],
  'POST /flow-groups': ['flow_group_created'],
  'PATCH /flow-groups/:id': ['flow_group_updated'],
  'DELETE /flow-groups/:id': ['flow_group_deleted'],
  'POST /access/grant': ['grant_created'],
  'DELETE /access/grants/:id': ['grant_deleted'],
  'POST /companies': ['company_created'],
  'PATCH /companies/:id': ['company_updated'],
  'POST /admin/oauth-providers': ['oauth_provider_created'],
  'PATCH /admin/oauth-providers/:id': ['oauth_provider_updated'],
  'DELETE /admin/oauth-providers/:id': ['oauth_provider_deleted'],
  'PATCH /admin/config': ['config_changed'],
  'POST /admin/jobs/:name/run': ['job_requested'],
  'POST /admin/retention-policies': ['policy_created'],
  'PATCH /admin/retention-policies/:id': ['policy_updated'],
  'DELETE /admin/retention-policies/:id': ['policy_deleted'],
  'POST /admin/retention-policies/preview': ASKS,

  'POST /flows': ['flow_created'],
  'PUT /flows/:id': ['flow_updated'],
  'PATCH /flows/:id': ['flow_updated'],
  'PATCH /destinations/:id': ['destination_updated'],
  'POST /destinations/:id/pause': ['destination_paused'],
  'POST /destinations/:id/release': ['destination_released'],
  'POST /lanes/:lane/skip': ['lane_skipped'],
  'PUT /flows/:id/document': ['flow_updated'],
  'PUT /flows/by-key/:key/document': ['flow_imported'],
  'DELETE /flows/:id': ['flow_deleted'],
  'POST /flows/:id/restore': ['flow_restored'],
  'POST /flows/:id/layers': ['layer_created'],
  'PUT /flows/:id/layers/:layerId': ['layer_updated'],
  'PATCH /flows/:id/layers/:layerId': ['layer_updated'],
  'DELETE /flows/:id/layers/:layerId': ['layer_deleted'],
  'PUT /flows/:id/layers/order': ['layers_reordered'],
  'POST /flows/:id/versions/:n/restore': ['flow_version_restored'],
  'POST /flows/:id/publish': ['flow_published'],
  'POST /flows/import': ['flow_imported'],
  'POST /flows/:id/instantiate': ['flow_instantiated'],
  'POST /flows/:id/triggers': ['trigger_created'],
  'PATCH /flows/:id/triggers/:tid': ['trigger_updated'],
  'POST /flows/:id/triggers/:tid/rotate': ['trigger_rotated'],
  'DELETE /flows/:id/triggers/:tid': ['trigger_deleted'],
  'POST /flows/:id/triggers/:tid/deliveries/:did/replay': RUN,
  'POST /flows/:id/test-cases': ['test_case_created'],
  'PATCH /flows/:id/test-cases/:caseId': ['test_case_updated'],
  'DELETE /flows/:id/test-cases/:caseId': ['test_case_deleted'],
  'POST /flows/:id/test-cases/run': ASKS,
  'POST /flows/:id/validate': ASKS,
  'POST /flows/:id/dry-run': ASKS,
  'POST /flows/:id/backtest': ASKS,

  'POST /flows/:id/run': RUN,
  'POST /flows/:id/run-batch': RUN,
  'POST /plays': RUN,
  'POST /plays/:id/retry': RUN,
  'POST /plays/:id/rerun': RUN,
  'POST /payloads': { none: 'an upload changes nothing until a run refers to it, and the play is the record of that' },
  'POST /events': { none: 'an event is part of the plays that it reaches: each keeps it, with its time' },
  'POST /plays/:id/hold': ['play_held'],
  'POST /plays/:id/release': ['play_released'],
  'POST /plays/:id/cancel': ['play_cancelled'],
  'POST /plays/:id/resume': ['play_resumed'],
  'POST /plays/:id/approvals/:ref': ['approval_decided'],
  'POST /approval-links/read': ASKS,
  'POST /approval-links/decide': ['approval_decided'],
  'POST /plays/bulk': ['play_cancelled'],
  'POST /bulk': ['bulk_started'],
  'POST /bulk/:id/abort': ['bulk_aborted'],
  'DELETE /plays/:id': ['play_deleted'],

  'POST /scheduler/jobs': ['schedule_created'],
  'PATCH /scheduler/jobs/:id': ['schedule_updated'],
  'DELETE /scheduler/jobs/:id': ['schedule_deleted'],
  'POST /scheduler/jobs/:id/run': RUN,

  'PUT /kv/:key': ['kv_entry_set'],
  'DELETE /kv/:key': ['kv_entry_deleted'],
  'POST /webhooks': ['webhook_created'],
  'PATCH /webhooks/:id': ['webhook_updated'],
  'DELETE /webhooks/:id': ['webhook_deleted'],
  'POST /webhooks/:id/rotate': ['webhook_rotated'],
  'POST /webhooks/:id/test': ASKS,
  'POST /webhooks/:id/deliveries/:delivery_id/replay': ['webhook_replayed'],
  'POST /webhooks/:id/replay': ['webhook_replayed'],
  'POST /integrations': ['integration_created'],
  'PATCH /integrations/:id': ['integration_updated'],
  'DELETE /integrations/:id': ['integration_deleted'],
  'POST /apis': ['api_created'],
  'PATCH /apis/:id': ['api_updated'],
  'POST /apis/:id/refresh': ['api_refreshed'],
  'POST /apis/:id/adopt': { none: 'each flow that takes an operation records its new version' },
  'DELETE /apis/:id': ['api_deleted'],
  'POST /integrations/:id/test': ASKS,
  'POST /integrations/connect': {
    none: 'only tells the way to the provider; the way back makes the link, and records it',
  },
};

/** A route without the names of its parameters. */
export const bareRoute = (route: string): string => route.replace(/:\w+/g, ':');

export const AUDITED_ROUTES: ReadonlyMap<string, Audited> = new Map(
  Object.entries(TABLE).map(([route, audited]) => [bareRoute(route), audited]),
);

/** Actions with another cause (a GET, a job, a change with several actions): the spec that checks their entries. */
export const AUDITED_ELSEWHERE: Readonly<Partial<Record<AuditAction, string>>> = {
  webhook_disabled: 'apps/scheduler/src/webhooks/webhook-deliverer.int.spec.ts',
  schedule_missed: 'apps/scheduler/src/schedules/schedule-firer.int.spec.ts',
  failure_not_handled: 'apps/scheduler/src/failures/failure-walk.int.spec.ts',
  login_failed: 'apps/api/src/audit/audited-routes.int.spec.ts',
  audit_exported: 'apps/api/src/audit/audit.int.spec.ts',
  external_identity_linked: 'apps/api/src/oauth/oauth-sign-in.int.spec.ts',
  company_assigned: 'apps/api/src/oauth/oauth-sign-in.int.spec.ts',
  grant_updated: 'apps/api/src/grants/grants.int.spec.ts',
  user_deactivated: 'apps/api/src/users/users.int.spec.ts',
  user_reactivated: 'apps/api/src/users/users.int.spec.ts',
  retention_cleanup_run: 'apps/scheduler/src/retention/retention-cleaner.int.spec.ts',
  migration_run: 'libs/records/src/operations/migrations.int.spec.ts',
  flow_erased: 'apps/scheduler/src/retention/retention-cleaner.int.spec.ts',
};
