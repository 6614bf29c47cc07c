/** Every `action_type` that an audit entry can have: noun + participle, contract §7. New actions are added here. */
export const AUDIT_ACTIONS = [
  'flow_created',
  'flow_updated',
  'flow_deleted',
  'layer_created',
  'layer_updated',
  'layer_deleted',
  'layers_reordered',
  'play_held',
  'play_released',
  'play_cancelled',
  'play_resumed',
  'approval_decided',
  'play_deleted',
  'login_succeeded',
  'login_failed',
  'logout',
  'session_ended',
  'company_switched',
  'password_changed',
  'api_key_created',
  'api_key_revoked',
  'user_created',
  'company_created',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
